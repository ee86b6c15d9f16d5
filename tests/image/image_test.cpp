// Images: reading, writing, refusing, and filtering by variants.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <fstream>
#include <numeric>

#include "cli/run_request.hpp"
#include "folder.hpp"
#include "image/filter.hpp"
#include "said.hpp"
#include "support.hpp"
#include "text.hpp"

using namespace parlab;
using namespace std::string_literals;
using boost::test_tools::per_element;
using testing::contains;
using testing::message_of;

namespace {

std::string refusal(const std::string& bytes) {
  return message_of<UsageError>([&] { parse_image(bytes, "x.pgm"); });
}

// The default of each tunable, but with a single thread.
TunableValues fallbacks(const Variant& variant) {
  TunableValues tunables;
  for (const auto& tunable : variant.tunables)
    tunables.emplace(tunable.name, tunable.fallback);
  if (tunables.count("threads") > 0) tunables.insert_or_assign("threads", 1);
  return tunables;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(image)

BOOST_AUTO_TEST_CASE(all_four_formats_in_8_and_16_bits) {
  const Image grey{2, 3, 1, 255, {0, 1, 2, 253, 254, 255}};
  BOOST_TEST((parse_image("P2 3 2 255\n0 1 2\n253 254 255\n", "") == grey));
  BOOST_TEST(
      (parse_image("P5\n3 2\n255\n\x00\x01\x02\xfd\xfe\xff"s, "") == grey));
  const Image deep{1, 2, 1, 1000, {258, 1000}};
  BOOST_TEST((parse_image("P2 2 1 1000 258 1000", "") == deep));
  BOOST_TEST((parse_image("P5 2 1 1000\n\x01\x02\x03\xe8"s, "") == deep));
  const Image colour{1, 2, 3, 9, {1, 2, 3, 4, 5, 9}};
  BOOST_TEST((parse_image("P3 2 1 9 1 2 3 4 5 9", "") == colour));
  BOOST_TEST(
      (parse_image("P6 2 1 9\n\x01\x02\x03\x04\x05\x09"s, "") == colour));
}

BOOST_AUTO_TEST_CASE(comments_and_white_space_stand_anywhere_in_the_header) {
  const Image grey{1, 2, 1, 255, {'#', ' '}};
  BOOST_TEST((parse_image("P5#a\n#\n2\t#b 9\r\n 1\n#c\n255\n# ", "") == grey));
  BOOST_TEST((parse_image("P2\n2 1 # of\n255\n35 # first\n32", "") == grey));
}

BOOST_AUTO_TEST_CASE(an_image_is_read_as_it_was_written) {
  for (const auto& image :
       {Image{1, 2, 1, 65535, {65535, 7}},
        Image{2, 1, 3, 255, {1, 2, 3, 4, 5, 255}}, Image{1, 1, 1, 1, {1}}}) {
    BOOST_TEST((parse_image(format_image(image), "") == image));
  }
  const testing::Folder folder;
  const auto path = (folder.path / "image.pgm").string();
  const auto photo = read_image("generated:30x41");
  write_file(path, format_image(photo));
  BOOST_TEST((read_image(path) == photo));
}

BOOST_AUTO_TEST_CASE(bad_files_are_refused_in_words) {
  const std::vector<std::pair<std::string, std::string>> bad{
      {"", "is no PGM or PPM"},
      {"P", "is no PGM or PPM"},
      {"P4 1 1\n1", "is no PGM or PPM"},
      {"\x89PNG\r\n", "is no PGM or PPM"},
      {"P5", "no number where the width"},
      {"P5 # 3 2 255", "no number where the width"},
      {"P5 x 2 255\n", "no number where the width"},
      {"P5 3.5 2 255\n", "no number where the width"},
      {"P5 -3 2 255\n", "no number where the width"},
      {"P5 3", "no number where the height"},
      {"P5 3 0 255\n", "has 0 for the height"},
      {"P5 0 3 255\n", "has 0 for the width"},
      {"P5 3 2 0\n123456", "has 0 for the largest value"},
      {"P5 3 2 65536\n123456", "has 65536 for the largest value"},
      {"P5 99999999999999999999999 1 255\n",
       "has 99999999999999999999 for the width"},
      {"P5 1073741824 1073741824 255\n", "more than parlab takes"},
      {"P6 1000000000 1 255\n", "more than parlab takes"},
      {"P5 100000 10000 255\nab", "cut off"},
      {"P2 100000 10000 255\n1 2", "cut off"},
      {"P5 3 2 255", "cut off"},
      {"P5 3 2 255\n12345", "promises 6 samples, 5 bytes are left"},
      {"P5 1 1 300\n1", "cut off"},
      {"P6 1 1 255\n12", "cut off"},
      {"P2 2 1 255 1          ", "no number where a sample"},
      {"P2 2 1 255 1 256", "has 256 for a sample"},
      {"P2 2 1 255 1 -1", "no number where a sample"},
      {"P5 1 1 9\nx", "a sample of 120"}};
  for (const auto& [bytes, words] : bad) {
    const auto refused = refusal(bytes);
    BOOST_TEST(contains(refused, "image x.pgm " +
                                     (words.starts_with("is") ? words : ""s)),
               bytes);
    BOOST_TEST(contains(refused, words), bytes);
  }
}

BOOST_AUTO_TEST_CASE(bad_names_are_refused) {
  for (const auto* name :
       {"generated:", "generated:5", "generated:5x", "generated:0x5",
        "generated:5x5x5", "generated:-1x4", "generated:9999999999x9999999999",
        "/nowhere/x.pgm", "/"}) {
    BOOST_TEST_CONTEXT(name) {
      BOOST_CHECK_THROW(read_image(name), UsageError);
    }
  }
}

// However a file is cut off or changed, the image matches its header, or it is
// refused.
BOOST_AUTO_TEST_CASE(damaged_files_do_no_harm) {
  for (const auto& whole :
       {"P5 # c\n4 3\n255\nabcdefghijkl"s,
        "P3 2 2 15 1 2 3 4 5 6 7 8 9 10 11 12"s,
        "P6\n2 1 1000\n\x01\x02\x01\x02\x01\x02\x01\x02\x01\x02\x01\x02"s}) {
    int read = 0;
    const auto attempt = [&](const std::string& bytes) {
      try {
        const auto image = parse_image(bytes, "x");
        ++read;
        BOOST_TEST(
            image.samples.size() ==
            static_cast<std::size_t>(image.rows * image.cols * image.channels));
        for (const auto sample : image.samples)
          BOOST_TEST(sample <= image.most);
      } catch (const UsageError&) {
      }
    };
    for (std::size_t i = 0; i < whole.size(); ++i) {
      attempt(whole.substr(0, i));
      for (int byte = 0; byte < 256; byte += 3) {
        auto changed = whole;
        changed[i] = static_cast<char>(byte);
        attempt(changed);
      }
    }
    BOOST_TEST(read > 0);
    attempt(whole);
  }
}

BOOST_AUTO_TEST_CASE(box_and_gaussian_filters) {
  BOOST_TEST(parse_filter("box:1") == (std::vector<double>(3, 1.0 / 3)),
             per_element());
  BOOST_TEST(parse_filter("gaussian:0") == (std::vector<double>{1}),
             per_element());
  const auto gaussian = parse_filter("gaussian:2.5");
  BOOST_TEST(gaussian.size() == 17U);
  BOOST_TEST(std::abs(std::accumulate(gaussian.begin(), gaussian.end(), -1.0)) <
             1e-12);
  BOOST_TEST(gaussian[8] / gaussian[13] == std::exp(2.0),
             boost::test_tools::tolerance(1e-12));
  BOOST_TEST(parse_filter("gaussian:21").size() <= 129U);
}

BOOST_AUTO_TEST_CASE(a_filter_from_a_file) {
  const testing::Folder folder;
  const auto path = (folder.path / "filter").string();
  const auto from_file = [&](const char* text) {
    std::ofstream(path) << text;
    return parse_filter("file:" + path);
  };
  BOOST_TEST(from_file("-1 0\n1\n") == (std::vector<double>{-1, 0, 1}),
             per_element());
  for (const auto* text : {"", "1 2", "1 x 2", "1 2 3 x"}) {
    BOOST_TEST_CONTEXT(text) {
      BOOST_CHECK_THROW(from_file(text), UsageError);
    }
  }
}

BOOST_AUTO_TEST_CASE(refused_filters) {
  for (const auto* text :
       {"", "box", "box:", "box:65", "box:-1", "box:1.5", "box:1x",
        "gaussian:22", "gaussian:nan", "disc:3", "file:/nowhere"}) {
    BOOST_TEST_CONTEXT(text) {
      BOOST_CHECK_THROW(parse_filter(text), UsageError);
    }
  }
}

// Every variant turns one bright sample into the filter itself.
BOOST_AUTO_TEST_CASE(a_point_becomes_the_filter) {
  constexpr int rows = 9, cols = 11, channels = 3, row_of_point = 4,
                col_of_point = 5, green = 1;
  Image point{rows, cols, channels, 1000,
              std::vector<std::uint16_t>(rows * cols * channels)};
  point.samples[(row_of_point * cols + col_of_point) * channels + green] = 900;
  for (const auto* variant : Registry::instance().variants("convsep")) {
    const auto dtype = variant->dtypes.front();
    if (variant->needs_team()) {
      BOOST_CHECK_THROW(
          filter_image(point, parse_filter("box:1"), *variant, dtype, {}),
          UsageError);
      continue;
    }
    const auto filtered = filter_image(point, parse_filter("box:1"), *variant,
                                       dtype, fallbacks(*variant));
    if (filtered.verdict == Verdict::no_device) continue;
    BOOST_TEST(to_string(filtered.verdict) == "passed",
               variant->full_name() << ": " << filtered.detail);
    for (int i = 0; i < rows * cols * channels; ++i) {
      const int row = i / channels / cols, col = i / channels % cols;
      const bool near = std::abs(row - row_of_point) <= 1 &&
                        std::abs(col - col_of_point) <= 1;
      BOOST_TEST(filtered.image.samples[i] ==
                     (near && i % channels == green ? 100 : 0),
                 variant->full_name() << " at sample " << i);
    }
  }
}

BOOST_AUTO_TEST_CASE(sums_beyond_white_and_black_are_cut_off) {
  const Image grey{3, 3, 1, 255, {200, 0, 0, 0, 0, 0, 0, 0, 200}};
  const auto& plain = testing::variant_called("convsep/serial/plain");
  for (const auto& [weight, value] :
       {std::pair{2.0, 255}, {1.2, 255}, {1.1, 242}}) {
    const auto filtered = filter_image(grey, {weight}, plain, Dtype::f64, {});
    BOOST_TEST(filtered.image.samples[0] == value);
    BOOST_TEST(filtered.image.samples[1] == 0);
  }
  const auto negative = filter_image(grey, {0, 1, -1}, plain, Dtype::f64, {});
  BOOST_TEST(negative.image.samples[0] == 200);
  BOOST_TEST(negative.image.samples[8] == 200);
}

namespace {

using Words = std::vector<std::string>;

testing::Said filtered_by(Words words) {
  words.insert(words.begin(), "convsep");
  return testing::said_by(words);
}

RunRequest request(Words words) {
  words.insert(words.begin(), {"parlab", "convsep"});
  return read_filtering(read_arguments(words, {}));
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_command_writes_a_filtered_image) {
  const testing::Folder folder;
  const auto path = (folder.path / "filtered.pgm").string();
  const auto photo =
      filtered_by({"--image", "generated:20x31", "--filter", "gaussian:1",
                   "--output", path, "--variant", "serial/plain"});
  BOOST_TEST(photo.status == 0);
  BOOST_TEST(contains(photo.out, "convsep/serial/plain in float: passed"));
  const auto filtered = read_image(path);
  BOOST_TEST(filtered.rows == 20);
  BOOST_TEST(filtered.cols == 31);
  BOOST_TEST((filtered.samples != read_image("generated:20x31").samples));
}

BOOST_AUTO_TEST_CASE(without_a_choice_the_last_rung_of_the_cpu_filters) {
  const auto chosen =
      request({"--image", "x", "--filter", "box:1", "--output", "y"})
          .plan.variants;
  BOOST_REQUIRE(chosen.size() == 1U);
  BOOST_TEST(!chosen[0]->needs_gpu(), chosen[0]->full_name());
}

BOOST_AUTO_TEST_CASE(what_filters_has_the_data_type) {
  const auto chosen = [](const Words& more) {
    Words words{"--image", "x", "--filter", "box:1", "--output", "y"};
    words.insert(words.end(), more.begin(), more.end());
    return request(words).plan.variants.at(0);
  };
  for (const auto* dtype : {"float", "double"}) {
    const auto* variant = chosen({"--backend", "cuda", "--dtype", dtype});
    BOOST_TEST(variant->has(from_string<Dtype>(dtype)), variant->full_name());
  }
  BOOST_CHECK_EXCEPTION(chosen({"--variant", "cuda/tensor"}), UsageError,
                        [](const UsageError& error) {
                          return contains(error.what(), "--dtype double");
                        });
}

BOOST_AUTO_TEST_CASE(
    a_command_that_lacks_an_option_or_has_a_size_too_is_refused) {
  BOOST_CHECK_THROW(filtered_by({"--image", "x", "--output", "y"}), UsageError);
  BOOST_CHECK_THROW(filtered_by({"--image", "x", "--filter", "box:1"}),
                    UsageError);
  BOOST_CHECK_THROW(filtered_by({"--filter", "box:1", "--output", "y"}),
                    UsageError);
  BOOST_CHECK_THROW(
      filtered_by({"64", "--image", "x", "--filter", "box:1", "--output", "y"}),
      UsageError);
  BOOST_CHECK_THROW(testing::said_by({"dmv", "--image", "x"}), UsageError);
}

BOOST_AUTO_TEST_SUITE_END()
