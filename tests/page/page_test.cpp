// The page: which records it chooses and what it says about them, and that
// their texts never become markup.
#include <boost/algorithm/string/erase.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <fstream>
#include <limits>

#include "fake_workload.hpp"
#include "folder.hpp"
#include "page/counts.hpp"
#include "page/figures.hpp"
#include "page/reference.hpp"
#include "page/sections.hpp"
#include "page/transfers.hpp"
#include "page/words.hpp"
#include "record/json.hpp"
#include "record/store.hpp"
#include "records.hpp"
#include "render/html.hpp"
#include "render/markup.hpp"
#include "render/svg.hpp"
#include "render/words.hpp"
#include "said.hpp"

using namespace parlab;
using namespace parlab::page;

namespace {

Run a_run(const std::string& gpu = "a GPU") {
  Run run;
  run.id = "run";
  run.machine = "somewhere";
  run.date = "2026-01-02T03:04:05Z";
  run.cpu = "a CPU";
  run.gpu = gpu;
  return run;
}

// A measurement with a median of `us` microseconds, known to 0.2 %.
Record a_record(const std::string& name, std::int64_t n, double us,
                const TunableValues& tunables = {}) {
  auto record = testing::record_of("fake/" + name, {n, n});
  record.tunables = tunables;
  record.source = "x." + std::string(record.backend == "cuda" ? "cu" : "cpp");
  record.machine = "somewhere";
  record.flops = 2.0 * static_cast<double>(n * n);
  record.bytes = 4.0 * static_cast<double>(n * n);
  record.roof_s = 1e-6;
  if (record.backend == "cuda") {
    record.to_device_s = 100e-6;
    record.to_host_s = 10e-6;
  }
  for (int i = 0; i < 44; ++i)
    record.seconds.push_back(us * 1e-6 * (1 + (i * 7 % 11 - 5) * 4e-4));
  record.between_runs.share = 1e-4;
  return record;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

bool has(const std::string& text, const std::string& what) {
  return count(text, what) > 0;
}

// Without the places where names may be broken.
std::string page_of(const Document& document) {
  return boost::erase_all_copy(html(document), "<wbr>");
}
std::string page_of(std::vector<Block> blocks) {
  return page_of(Document{.title = "page", .blocks = std::move(blocks)});
}
std::string page_of(const Measured& measured) {
  return page_of(machine_page(measured, "/nowhere"));
}
std::string page_of(const std::vector<Measured>& machines) {
  return page_of(index_page(machines));
}

struct WithFakes {
  WithFakes() { register_fake_workloads(); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(page, WithFakes)

BOOST_AUTO_TEST_CASE(text_and_attributes_are_escaped) {
  BOOST_TEST(escape("<b a=\"1\" b='2'>&\x01") ==
             "&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;\xef\xbf\xbd");
  Html html;
  html.open("p", {{"id", "\"><script>"}}).text("</p>").close();
  BOOST_TEST(html.str() == "<p id=\"&quot;&gt;&lt;script&gt;\">&lt;/p&gt;</p>");
  BOOST_CHECK_THROW(html.close(), std::logic_error);
  BOOST_TEST(anchor("A b/<1>\"\xc3\xa9") == "a-b--1----");
}

BOOST_AUTO_TEST_CASE(no_record_becomes_markup) {
  const std::string evil =
      "<script>alert('1')</script>&\"><img src=x onerror=alert(1)>";
  auto run = a_run(evil);
  run.machine = run.cpu = run.driver = run.compiler = run.flags = run.commit =
      run.date = evil;
  auto record = a_record("cuda/naive", 8, 5, {{evil, 3}});
  record.machine = record.workload = record.variant = record.dimensions[0] =
      evil;
  auto failed = record;
  failed.verdict = Verdict::wrong_result;
  failed.seconds.clear();
  failed.detail = other(evil);
  failed.variant += "2";
  auto measured = arrange({run}, {record, failed});
  measured.experiments = {{evil, {evil}}};
  const auto text = page_of(measured);
  BOOST_TEST(has(text, "&lt;script&gt;alert(&#39;1&#39;)"));
  BOOST_TEST(count(text, "<script") == 1u);  // the page's own
  BOOST_TEST(!has(text, "<img"));
  BOOST_TEST(has(text, "Points without a time"));
}

BOOST_AUTO_TEST_CASE(a_picture_keeps_to_itself) {
  const std::string svg =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE svg>\n<svg "
      "width=\"7\"><title>Gnuplot</title>"
      "<g id='a'><title>1 &lt; 2</title></g><use xlink:href='#a' "
      "fill=\"url(#b)\"/><text "
      "id=\"b\">1 &lt; 2 "
      "id='c'</text></svg>";
  BOOST_TEST(inline_svg(svg, "p-", "x&y") ==
             "<svg role=\"img\" aria-label=\"x&amp;y\" width=\"7\">"
             "<g id='p-a'><title>1 &lt; 2</title></g><use xlink:href='#p-a' "
             "fill=\"url(#p-b)\"/>"
             "<text id=\"p-b\">1 &lt; 2 id='c'</text></svg>");
}

// A figure's title is read aloud, and stands under the figure.
BOOST_AUTO_TEST_CASE(a_figure_says_what_it_shows) {
  const testing::Folder folder;
  const auto file = folder.path / "fake-1-of-its-own.svg";
  std::ofstream(file) << "<svg>\n<title>fake: a &lt; b at 16K</title>\n"
                         "<g id='x'><title>a</title></g></svg>";
  const auto pictures = figures_of(folder.path, "fake");
  BOOST_REQUIRE(pictures.size() == 1u);
  BOOST_TEST(pictures[0].title == "fake: a < b at 16K.");
  const auto text = page_of({pictures[0]});
  BOOST_TEST(has(text, "aria-label=\"fake: a &lt; b at 16K.\""));
  BOOST_TEST(has(text, "<figcaption>fake: a &lt; b at 16K.</figcaption>"));
  BOOST_TEST(!has(text, "<title>fake: a"));
  BOOST_TEST(has(text, "<title>a</title>"));
  // one that every workload has
  std::filesystem::rename(file, folder.path / "fake-1-time.svg");
  BOOST_TEST(has(page_of({figures_of(folder.path, "fake")[0]}),
                 "a &lt; b at 16K. Time of all variants against"));
}

BOOST_AUTO_TEST_CASE(formulas_have_the_letters_of_a_page) {
  BOOST_TEST(typeset("y = A^T (A x), A (rows x cols), x") ==
             "y = Aᵀ (A x), A (rows × cols), x");
  BOOST_TEST(typeset("A m x k and B k x n, 3x3, tiles of 64 x 128") ==
             "A m × k and B k × n, 3 × 3, tiles of 64 × 128");
  BOOST_TEST(typeset("the strip of x a block needs, 16x") ==
             "the strip of x a block needs, 16x");
}

BOOST_AUTO_TEST_CASE(a_picture_that_could_run_or_load_something_is_refused) {
  for (const std::string bad :
       {"no picture", "<svg><script>alert(1)</script></svg>",
        "<svg onload=\"alert(1)\"></svg>", "<svg><g OnClick='x'/></svg>",
        "<svg><use href='http://x/y'/></svg>", "<svg><image href='#a'/></svg>",
        "<svg><rect fill='url(http://x)'/></svg>",
        "<svg><a href='#x'></a></svg>", "<svg><foreignObject/></svg>",
        "<svg><g id='"}) {
    BOOST_TEST(inline_svg(bad, "p-", "t").empty(), bad);
  }
}

BOOST_AUTO_TEST_CASE(columns_in_which_nothing_was_measured_are_left_out) {
  const auto cards = [](const std::vector<Row>& rows) {
    auto table = table_of({"Name", "Time", "Roof", "CPU"});
    table.rows = rows;
    return page_of({table});
  };
  const Cell missing{Detail{Cause::not_measured}};
  const Row group{{{"a group"}}, true}, none{{{"CUDA"}, missing}};
  const auto text = cards({group, {{{"a"}, {"1 s"}, {}, missing}}, none});
  BOOST_TEST(has(text, ">1 s<"));
  BOOST_TEST(has(text, ">not measured<"));
  for (const auto* title : {"Roof", "CPU</th>"})
    BOOST_TEST(!has(text, title), text);
  // One cell is enough; a cell that spans the others keeps its place.
  const auto more =
      cards({{{{"a"}, {"1 s"}, {}, {}}}, {{{"b"}, {}, {}, {"2.0"}}}});
  BOOST_TEST(has(more, ">CPU<"));
  BOOST_TEST(!has(more, "Roof"));
  BOOST_TEST(has(cards({group, none}), ">not measured<"));
}

BOOST_AUTO_TEST_CASE(a_rung_for_small_sizes_does_not_keep_a_ladder_small) {
  std::vector<Record> records{a_record("cuda/resident", 8, 1)};
  for (const std::string name : {"naive", "shared", "wide", "last"}) {
    for (const std::int64_t n : {8, 16})
      records.push_back(a_record("cuda/" + name, n, 9));
  }
  records.push_back(a_record("cuda/last", 32, 9));
  const auto measured = arrange({a_run()}, records);
  BOOST_TEST(to_string(ladder_size(all(measured)).value()) == "16x16");
  BOOST_TEST(!ladder_size({}).has_value());
}

BOOST_AUTO_TEST_CASE(its_words_are_those_of_the_docs) {
  const auto section = glossary();
  BOOST_TEST_REQUIRE(section.has_value());
  const auto page = html(Document{.title = "Words", .blocks = {*section}});
  for (const auto* word : {"Limit, also roof", "Rung", "Hot", "Batch"})
    BOOST_TEST(page.find(word) != page.npos, word);
  BOOST_TEST(page.find("**") == page.npos);
  BOOST_TEST(page.find("](") == page.npos);
  BOOST_TEST(page.find('`') == page.npos);
}

BOOST_AUTO_TEST_CASE(ties_are_called_ties) {
  auto few = a_record("cuda/warp", 8, 10.05);
  few.seconds.resize(2);
  const auto measured =
      arrange({a_run()}, {a_record("serial/plain", 8, 100),
                          a_record("cuda/naive", 8, 10, {{"block", 1}}),
                          a_record("cuda/naive", 8, 10.001, {{"block", 2}}),
                          a_record("cuda/coalesced", 8, 10.002),
                          a_record("cuda/tiled", 8, 11), few});
  const auto* first = best(of_side(all(measured), Side::cuda));
  BOOST_TEST_REQUIRE(first != nullptr);
  BOOST_TEST(setting(first->record) == "cuda/naive, block=1");
  BOOST_TEST(words(as_fast({1, {0.99, 1.01}})) == "as fast");
  BOOST_TEST(words(as_fast({4, {3.9, 4.1}})) == "4.00x as fast");
  BOOST_TEST(words(as_fast({0.5, {0.4, 0.6}})) == "2.00x slower");
  BOOST_TEST(parlab::tied(Ratio{1, {0.99, 1.01}}));
  BOOST_TEST(!parlab::tied(Ratio{}));
  BOOST_TEST(words(interval(Ratio{1, {0.99, 1.01}}), Letters::unicode) ==
             "0.990–1.01×: a tie");
}

std::string ladders_of(const Measured& measured) {
  return page_of(ladders(measured, *reference_of(measured, "fake"),
                         {{"cuda/naive", "c"}}));
}

// A measurement of which nearly nothing is known: batches differ by `factor`.
Record noisy(Record record, double factor) {
  for (std::size_t i = 0; i < record.seconds.size(); ++i)
    record.seconds[i] *= i / 4 % 2 == 0 ? 1 : factor;
  record.batches.assign(11, 4);
  return record;
}

// A faster rung whose interval reaches below 1 may be faster, or not.
BOOST_AUTO_TEST_CASE(a_gain_within_the_noise_is_called_so) {
  const auto open =
      arrange({a_run()}, {a_record("cuda/naive", 8, 20),
                          noisy(a_record("cuda/coalesced", 8, 10), 9)});
  const auto text = ladders_of(open);
  BOOST_TEST(has(text, ">within the noise "));
  BOOST_TEST(has(text, "no idea beats the first, naive, beyond the noise"));
  BOOST_TEST(has(text, "reaches beyond 1.05×, so the data do not tell"));
  BOOST_TEST(!has(text, "no gain"));
  const auto tie =
      ladders_of(arrange({a_run()}, {a_record("cuda/naive", 8, 20),
                                     a_record("cuda/coalesced", 8, 20)}));
  BOOST_TEST(has(tie, ">a tie "));
  BOOST_TEST(!has(tie, "the noise"));
}

// The audit's rule and words.
BOOST_AUTO_TEST_CASE(an_interval_that_is_too_wide_is_not_to_be_quoted) {
  const auto text = ladders_of(
      arrange({a_run()}, {a_record("cuda/naive", 8, 20),
                          noisy(a_record("cuda/coalesced", 8, 10), 9)}));
  BOOST_TEST(count(text, "wide to each side, too wide to quote") == 1u);
}

BOOST_AUTO_TEST_CASE(where_there_is_no_limit_a_page_says_why) {
  auto record = a_record("serial/plain", 8, 20),
       second = a_record("openmp/rows", 8, 10);
  record.roof_s = second.roof_s = 0;
  second.roof_absent =
      because(Cause::limit_not_steady, Quantity{2e-6, Unit::second},
              Quantity{3e-6, Unit::second});
  const auto measured = arrange({a_run("")}, {record, second});
  const auto why = words(Text(second.roof_absent), Letters::unicode);
  const auto first = page_of({first_screen(measured, {})});
  BOOST_TEST(has(first, "no limit</text>"));
  BOOST_TEST(has(first, "No limit of fake: " + why));
  BOOST_TEST(has(ladders_of(measured), "Without a bar: " + why));
}

// For the variant and type of a rung; a page without counts does not mention
// them.
BOOST_AUTO_TEST_CASE(a_rung_has_the_counts_that_explain_it) {
  auto measured = arrange({a_run()}, {a_record("cuda/naive", 8, 40),
                                      a_record("cuda/coalesced", 8, 10)});
  BOOST_TEST(!has(ladders_of(measured), "counted by emulation"));
  auto counts = a_record("cuda/naive", 8, 1);
  counts.counters = {
      {"global_load_requests", 65536},  {"global_load_sectors", 2097152},
      {"global_store_requests", 10},    {"global_store_sectors", 40},
      {"shared_load_requests", 400000}, {"shared_load_wavefronts", 600000}};
  measured.counted = {counts};
  const auto text = ladders_of(measured);
  BOOST_TEST(has(text, "at 8×8, counted by emulation"));
  const auto line = words(counts_in_words(counts));
  BOOST_TEST(line ==
             "2.10M sectors loaded, 32.0 a request; 600k passes of loads from "
             "shared memory, 1.5 a request");
  const auto first = text.find(line);
  BOOST_TEST_REQUIRE(first != text.npos);
  BOOST_TEST(text.find("a request;", first + line.size()) == text.npos);
  measured.counted.front().dtype = Dtype::f64;
  BOOST_TEST(!has(ladders_of(measured), line));
}

// A variant that was changed, or is gone, has no counts.
BOOST_AUTO_TEST_CASE(counts_are_of_sources_as_they_are) {
  const parlab::testing::Folder folder;
  BOOST_TEST(load_counts(folder.path).empty());
  const auto& variants = Registry::instance().variants("fake");
  BOOST_TEST_REQUIRE(variants.size() >= 2U);
  {
    Store store(folder.path / "counts.jsonl", a_run());
    for (std::size_t i = 0; i < 2; ++i) {
      auto counts =
          a_record(variants[i]->backend + "/" + variants[i]->name, 8, 1);
      counts.counters = {{"global_load_sectors", 5}};
      counts.source_hash = i == 0 ? variants[i]->source_hash : "older";
      store.append(counts);
    }
  }
  const auto counted = load_counts(folder.path);
  BOOST_TEST_REQUIRE(counted.size() == 1U);
  BOOST_TEST(counted.front().variant == variants[0]->name);
}

BOOST_AUTO_TEST_CASE(a_ladder_climbs_by_rung_and_says_what_each_bought) {
  auto tf32 = a_record("blas/fast_tf32", 8, 1);
  tf32.source = "blas/fake/fast_tf32.cu";
  tf32.arithmetic = Arithmetic::tf32;
  auto library = a_record("blas/library", 8, 2);
  library.source = "blas/fake/library.cu";
  const auto measured =
      arrange({a_run()},
              {library, tf32, a_record("cuda/coalesced", 8, 5, {{"block", 2}}),
               a_record("cuda/coalesced", 8, 4, {{"block", 1}}),
               a_record("cuda/naive", 8, 8)});
  const auto rungs = ladder(all(measured));
  BOOST_TEST_REQUIRE(rungs.size() == 4u);
  BOOST_TEST(rungs[0]->record.variant == "naive");
  BOOST_TEST(setting(rungs[1]->record) == "cuda/coalesced, block=1");
  BOOST_TEST(best_peer(rungs)->record.variant == "library");
  const auto text = ladders_of(measured);
  BOOST_TEST(has(text, "2.00×</b> the best before"));
  // the library, compared with a variant of the same precision
  BOOST_TEST(has(text, "2.00× as fast as coalesced"));
  BOOST_TEST(has(text, "Reduced precision"));
  BOOST_TEST(has(text, "2.00× as fast as library"));
  BOOST_TEST(count(text, "<li>") == 4u);
  // A rung links to its curve.
  BOOST_TEST(has(text, "<a href=\"#c\""));
}

// The gain of a rung is over the best before it, not over the one before it.
BOOST_AUTO_TEST_CASE(a_gain_is_over_the_best_so_far) {
  const auto measured =
      arrange({a_run()},
              {a_record("cuda/naive", 8, 40), a_record("cuda/coalesced", 8, 80),
               a_record("cuda/tiled", 8, 10), a_record("cuda/warp", 8, 10.001),
               a_record("cuda/zigzag", 8, 10.2)});
  auto rungs = ladder(all(measured));
  std::ranges::sort(rungs, {}, [](const Entry* entry) {
    return std::string("nctwz").find(entry->record.variant[0]);
  });
  BOOST_TEST(finding_of_ladder(rungs) ==
             "tiled (4.00×) is the whole gain; the 2 ideas after tiled add "
             "nothing");
  BOOST_TEST(finding_of_ladder({rungs[0], rungs[1]}) ==
             "no idea beats the first, naive");
  BOOST_TEST(finding_of_ladder({rungs[1], rungs[0], rungs[2]}) ==
             "naive (2.00×) and tiled (4.00×) are the whole gain");
  BOOST_TEST(finding_of_ladder({rungs[0]}) == "one variant, naive");
  // Records of another host are skipped.
  auto elsewhere = a_record("cuda/tiled", 8, 10),
       here = a_record("cuda/warp", 8, 20);
  elsewhere.host_id = "another";
  const auto apart =
      arrange({a_run()}, {a_record("cuda/naive", 8, 40), elsewhere, here});
  Entries in_order;
  for (const auto& entry : apart.entries)
    in_order.push_back(&entry);
  std::ranges::sort(in_order, {}, [](const Entry* entry) {
    return std::string("ntw").find(entry->record.variant[0]);
  });
  BOOST_TEST(finding_of_ladder(in_order) ==
             "warp (2.00×) gained the most of those that can be compared");
  BOOST_TEST(finding_of_ladder({in_order[0], in_order[1]}) ==
             "measured on different hosts, not all compared");
  BOOST_TEST(
      has(ladders_of(arrange({a_run()}, {a_record("cuda/naive", 8, 40),
                                         a_record("cuda/coalesced", 8, 80)})),
          "2.00× slower than the best before"));
}

// All of the same arithmetic have one limit, so a slower one never has a larger
// share.
BOOST_AUTO_TEST_CASE(what_is_slower_has_no_larger_share_of_the_limit) {
  auto fast = a_record("cuda/naive", 8, 10),
       slow = a_record("cuda/tiled", 8, 11);
  fast.roof_s = 9e-6;
  slow.roof_s = 10.5e-6;
  auto team = a_record("cuda/warp", 8, 6, {{"gpus", 2}}), other = slow;
  team.roof_s = 4.5e-6;
  other.variant = "fp16x3";
  other.arithmetic = Arithmetic::fp16x3;
  other.roof_s = 1e-6;
  const auto measured = arrange({a_run()}, {fast, slow, team, other});
  const auto point = all(measured);
  const auto share_of = [&](const std::string& variant) {
    for (const auto* entry : point) {
      if (entry->record.variant == variant) return *of_limit(*entry, point);
    }
    return 0.0;
  };
  BOOST_TEST(share_of("naive") == 0.9, boost::test_tools::tolerance(1e-3));
  BOOST_TEST(share_of("tiled") == 9 / 11.0, boost::test_tools::tolerance(1e-3));
  BOOST_TEST(share_of("warp") == 0.75, boost::test_tools::tolerance(1e-3));
  BOOST_TEST(share_of("fp16x3") == 1 / 11.0,
             boost::test_tools::tolerance(1e-3));
}

// Not IEEE arithmetic, but within its bound on all inputs that were tried.
BOOST_AUTO_TEST_CASE(other_arithmetic_as_accurate_is_a_class_of_its_own) {
  auto parts = a_record("cuda/parts", 64, 5),
       plain = a_record("cuda/naive", 64, 20);
  parts.arithmetic = Arithmetic::fp16x3;
  BOOST_TEST((precision_of(plain) == Precision::full));
  BOOST_TEST((precision_of(parts) == Precision::reduced));  // nothing is known
  parts.errors = {{error_name(InputKind::uniform, ErrorUnit::bound), 0.1},
                  {error_name(InputKind::wide, ErrorUnit::bound), 0.9}};
  BOOST_TEST((precision_of(parts) == Precision::alike));
  const auto text = page_of(arrange({a_run()}, {plain, parts}));
  BOOST_TEST(
      has(text,
          "<b>4.00×</b> <span>is what parts gains over the fastest fake in "
          "the arithmetic of float; it is as accurate"));
  BOOST_TEST(has(text, "Other arithmetic with the same accuracy"));
  BOOST_TEST(has(text,
                 "<b>parts</b> is 4.00× as fast as naive, at the same "
                 "accuracy. It is listed separately because it does not use "
                 "float"));
  BOOST_TEST(has(text, ": fastest is naive"));
  parts.errors.begin()->second = 100;
  BOOST_TEST((precision_of(parts) == Precision::reduced));
}

BOOST_AUTO_TEST_CASE(one_size_for_all_summaries_that_the_cpu_has_too) {
  const auto size = [](const std::vector<Record>& records) {
    const auto measured = arrange({a_run()}, records);
    return to_string(reference_of(measured, "fake")->size);
  };
  std::vector<Record> records{a_record("cuda/naive", 64, 20),
                              a_record("cuda/naive", 128, 40),
                              a_record("serial/plain", 64, 900)};
  BOOST_TEST(size(records) == "64x64");
  records.pop_back();
  BOOST_TEST(size(records) == "128x128");
  BOOST_TEST(!reference_of(arrange({a_run()}, records), "other").has_value());
}

BOOST_AUTO_TEST_CASE(what_several_gpus_buy_and_from_which_size) {
  const auto measured =
      arrange({a_run()}, {a_record("cuda/split", 8, 10, {{"gpus", 1}}),
                          a_record("cuda/split", 8, 20, {{"gpus", 2}}),
                          a_record("cuda/split", 64, 100, {{"gpus", 1}}),
                          a_record("cuda/split", 64, 60, {{"gpus", 2}}),
                          a_record("cuda/alone", 128, 380),
                          a_record("cuda/split", 128, 400, {{"gpus", 1}}),
                          a_record("cuda/split", 128, 200, {{"gpus", 2}})});
  const auto text = page_of({*teams(measured)});
  BOOST_TEST(has(text, "fake 1.90× from 64×64 on"));
  BOOST_TEST(!teams(arrange({a_run()}, {a_record("cuda/naive", 8, 5)})));

  // Machines that differ, and one GPU of a model among machines.
  auto four = measured;
  four.machine = four.folder = "four";
  four.runs.back().gpus.resize(4);
  auto two = arrange({a_run()}, {a_record("cuda/split", 8, 10, {{"gpus", 1}}),
                                 a_record("cuda/split", 8, 20, {{"gpus", 2}})});
  two.machine = two.folder = "two";
  two.runs.back().gpus.resize(2);
  const auto both = page_of(std::vector{four, two});
  BOOST_TEST(has(both, "Shown is <a href=\"four/index.html#teams\">four</a>"));
  BOOST_TEST(has(both,
                 "<a href=\"two/index.html#teams\">two</a> differs: there "
                 "2 GPUs pay in fake at no size (0.500× at the largest)"));
  BOOST_TEST(has(both, "one of its 4 GPUs"));
  BOOST_TEST(!has(both, "Left out: "));
  auto one = arrange({a_run()}, {a_record("cuda/alone", 8, 10)});
  one.folder = "one";
  one.runs.back().gpus.resize(1);
  const auto all = page_of(std::vector{one, four, two});
  BOOST_TEST(has(all, "Left out: <a href=\"four/index.html\">four</a>, "));
  BOOST_TEST(!has(all, "of its 4 GPUs"));
}

BOOST_AUTO_TEST_CASE(teams_come_last_in_a_ladder) {
  auto team = a_record("cuda/split_rows", 8, 2, {{"gpus", 2}}),
       one = a_record("cuda/wide", 8, 3);
  team.workload = one.workload = "dmv";
  const auto measured = arrange({a_run()}, {team, one});
  const auto rungs = ladder(all(measured));
  BOOST_TEST_REQUIRE(rungs.size() == 2u);
  BOOST_TEST(rungs[0]->record.variant == "wide");
}

// The kernel always wins; its 110 us of transfers pay from 32 on.
Measured cpu_against_gpu() {
  return arrange(
      {a_run()},
      {a_record("serial/plain", 8, 50), a_record("cuda/naive", 8, 10),
       a_record("serial/plain", 16, 90), a_record("cuda/naive", 16, 10),
       a_record("serial/plain", 32, 300), a_record("cuda/naive", 32, 20),
       a_record("serial/plain", 64, 900), a_record("openmp/rows", 64, 600),
       a_record("cuda/naive", 64, 30), a_record("cuda/naive", 128, 50)});
}

BOOST_AUTO_TEST_CASE(from_which_size_the_gpu_wins) {
  const auto measured = cpu_against_gpu();
  const auto found = duels(all(measured));
  BOOST_TEST_REQUIRE(found.size() == 4u);
  BOOST_TEST(found[3].cpu->record.backend == "openmp");
  const auto kernel = crossover(found, &Duel::kernel),
             travelled = crossover(found, &Duel::travelled);
  BOOST_TEST(kernel.always);
  BOOST_TEST(!travelled.always);
  BOOST_TEST_REQUIRE(travelled.first == &found[2]);
  BOOST_TEST(*executions_to_pay(found[0]) == 3);  // 110 / (50 - 10)
  BOOST_TEST(*executions_to_pay(found[3]) == 1);
  const auto text = page_of({transfers(measured)});
  BOOST_TEST(has(text, "from 32×32 on"));
}

BOOST_AUTO_TEST_CASE(sizes_at_which_the_winner_is_not_known) {
  const auto measured = cpu_against_gpu();
  auto found = duels(all(measured));
  BOOST_TEST_REQUIRE(found.size() == 4u);
  // An undecided one counts neither way.
  found[2].travelled.interval = {0, std::numeric_limits<double>::infinity()};
  auto travelled = crossover(found, &Duel::travelled);
  BOOST_TEST(travelled.first == &found[3]);
  BOOST_TEST(travelled.undecided == 1u);
  // After a tie at the largest size the GPU wins in places only.
  found[3].travelled.interval = {0.9, 1.1};
  found[2].travelled.interval = {2, 3};
  travelled = crossover(found, &Duel::travelled);
  BOOST_TEST(travelled.first == nullptr);
  BOOST_TEST(travelled.in_places);
}

// The tile, the sentence, the table and the captions count alike.
BOOST_AUTO_TEST_CASE(too_few_samples_are_no_defeat_of_the_gpu) {
  auto cpu = a_record("serial/plain", 64, 900);
  cpu.seconds.resize(1);
  const auto measured = arrange({a_run()}, {cpu, a_record("cuda/naive", 64, 30),
                                            a_record("serial/plain", 32, 300),
                                            a_record("cuda/naive", 32, 20)});
  const auto tile = of_travel(measured);
  BOOST_TEST_REQUIRE(tile.has_value());
  BOOST_TEST(words(tile->number) == "0 of 1");
  BOOST_TEST(has(words(tile->says), "with pageable copies (undecided: 1)"));
  const auto text = page_of({transfers(measured)});
  BOOST_TEST(has(text, "in 0 of 1 with pageable copies (undecided: 1)"), text);
  BOOST_TEST(has(text, "at every size that is decided, 32×32 and more"));
  BOOST_TEST(has(text, "at every size that is decided (undecided: 1)"));
}

BOOST_AUTO_TEST_CASE(a_gpu_is_compared_with_the_cpu_of_its_own_host) {
  auto elsewhere = a_record("serial/plain", 64, 20),
       here = a_record("serial/plain", 64, 900);
  auto gpu = a_record("cuda/naive", 64, 30),
       faster = a_record("cuda/coalesced", 64, 25);
  elsewhere.host_id = "another";
  faster.host_id = "a third";  // which has no CPU to compare with
  here.tunables = {{"threads", 1}};
  const auto measured = arrange({a_run()}, {elsewhere, here, gpu, faster});
  const auto found = duels(all(measured));
  BOOST_TEST_REQUIRE(found.size() == 1u);
  BOOST_TEST(found[0].cpu->record.host_id == "");
  BOOST_TEST(found[0].gpu->record.variant == "naive");
  BOOST_TEST(std::abs(found[0].kernel.value - 30) < 1e-9);
}

BOOST_AUTO_TEST_CASE(pageable_pinned_and_overlapped_transfers_side_by_side) {
  std::vector<Record> records;
  for (const auto& [n, cpu, overlapped] : {std::tuple{512, 60.0, 80.0},
                                           {1024, 140.0, 90.0},
                                           {2048, 600.0, 200.0}}) {
    auto naive = a_record("cuda/naive", n, 5),
         piecewise = a_record("cuda/piecewise", n, overlapped);
    naive.to_device_pinned_s = 300e-6;
    naive.to_host_pinned_s = 50e-6;
    naive.to_device_s = 2e-3;
    piecewise.to_device_s = piecewise.to_host_s = std::nullopt;
    piecewise.from_host = true;
    records.insert(records.end(),
                   {a_record("serial/plain", n, cpu), naive, piecewise});
  }
  auto run = a_run();
  run.device.read = {{1e9, 1e12}};
  run.device.links = {{link_from_host, 5e10},
                      {link_to_host, 5e10},
                      {link_from_and_to_host, 9e10}};
  const auto measured = arrange({run}, records);
  // It is not compared with kernels whose data is in place.
  BOOST_TEST(measured.entries.size() == 6u);
  BOOST_TEST_REQUIRE(measured.from_host.size() == 3u);
  BOOST_TEST(!has(page_of({first_screen(measured, {})}), "piecewise"));
  auto entries = all(measured);
  for (const auto& entry : measured.from_host)
    entries.push_back(&entry);
  const auto first = [&](Way way) {
    const auto found = duels(entries, way);
    const auto from = crossover(found, &Duel::travelled);
    return from.first == nullptr ? 0 : from.first->gpu->record.size[0];
  };
  BOOST_TEST(first(Way::pageable) == 0);
  BOOST_TEST(first(Way::pinned) == 2048);
  BOOST_TEST(first(Way::overlapped) == 1024);
  const auto text = page_of({transfers(measured)});
  for (const char* said :
       {"at no size up to 2048×2048", "from 2048×2048 on", "from 1024×1024 on",
        "limit of the link", "GPU, copies while computing",
        "3.00× as fast, copies while computing",
        "the GPU is faster than the CPU at every size with data on the GPU; "
        "with pageable copies at no size; with pinned copies from 2048×2048 "
        "on; with copies while computing from 1024×1024 on."}) {
    BOOST_TEST(has(text, said), said);
  }
  // Each way has a single name.
  for (const char* other :
       {"with copies at", "overlapped", "ordinary memory. "})
    BOOST_TEST(!has(text, other), other);
}

Record with_joules(Record record, double joules) {
  record.energy = Energy{
      {joules, 1.001 * joules, 0.999 * joules, joules}, 1e-5, 70, "NVML", {}};
  return record;
}

Record without_joules(Record record, const Detail& reason) {
  record.energy = Energy{.absent = reason};
  return record;
}

std::string energy_of(const std::vector<Record>& records) {
  const auto section = energy(arrange({a_run()}, records));
  return section ? page_of({*section}) : "";
}

BOOST_AUTO_TEST_CASE(which_rung_costs_the_least_energy) {
  const auto naive = a_record("cuda/naive", 64, 20),
             warp = a_record("cuda/warp", 64, 10);
  BOOST_TEST(energy_of({naive, warp}) == "");  // it was not requested
  const auto same =
      energy_of({with_joules(naive, 2e-3), with_joules(warp, 1e-3)});
  BOOST_TEST(has(same, "cuda/warp"));
  BOOST_TEST(has(same, "1.000 mJ"));
  BOOST_TEST(has(same, "yes"));
  const auto other =
      energy_of({with_joules(naive, 1e-3), with_joules(warp, 1.5e-3)});
  BOOST_TEST(has(other, "no: cuda/warp"));
  BOOST_TEST(has(other, "which needs 1.50× the energy"));
  BOOST_TEST(has(other, "0.500× the time"));
  const auto tie =
      energy_of({with_joules(naive, 1e-3), with_joules(warp, 1.0001e-3)});
  BOOST_TEST(has(tie, "no; a tie in energy with the fastest, cuda/warp"));
  BOOST_TEST(has(tie, ">tie<"));
  BOOST_TEST(has(tie,
                 "In 0 of 1 workloads the fastest variant needs the least "
                 "energy; 1 more cannot be told apart."));
  const auto fastest_and_tied =
      energy_of({with_joules(naive, 1.0001e-3), with_joules(warp, 1e-3)});
  BOOST_TEST(has(fastest_and_tied, "a tie in energy with cuda/naive"));
  BOOST_TEST(has(energy_of({with_joules(naive, 1e-3), warp}),
                 "1 of 2 variants measured"));
}

BOOST_AUTO_TEST_CASE(
    a_rung_without_energy_does_not_count_and_its_reason_is_told) {
  const auto naive = a_record("cuda/naive", 64, 20);
  const auto absent =
      without_joules(a_record("cuda/warp", 64, 10), other("it is <short>"));
  const auto partly = energy_of({with_joules(naive, 1e-3), absent});
  BOOST_TEST(has(partly, "No energy for 1 measurement: it is &lt;short&gt;"));
  BOOST_TEST(!has(energy_of({absent}), "Least energy"));
  // Reasons that differ only in their numbers are merged.
  const auto still = [](double seconds) {
    return Detail{.cause = Cause::counter_stood_still,
                  .arguments = {Quantity{seconds, Unit::second}}};
  };
  const auto alike = energy_of(
      {without_joules(absent, still(3)), without_joules(naive, still(12))});
  BOOST_TEST(count(alike, "<li>") == 1u);
  BOOST_TEST(has(alike, "No energy for 2 measurements"));
  const auto different = energy_of(
      {without_joules(absent, other("a")), without_joules(naive, other("b"))});
  BOOST_TEST(count(different, "<li>") == 2u);
  BOOST_TEST(has(page_of(arrange({a_run()}, {absent})), "href=\"#energy\""));
}

BOOST_AUTO_TEST_CASE(parameters_are_not_extents) {
  const auto line = [](std::int64_t n, std::int64_t radius) {
    auto record = a_record("serial/plain", n, 9);
    record.workload = "fake_line";
    record.dimensions = {"n", "radius"};
    record.size = {n, radius};
    record.flops = static_cast<double>(n * radius);
    return record;
  };
  const auto measured =
      arrange({a_run()}, {line(8, 2), line(8, 1), line(16, 1), line(4, 1)});
  BOOST_TEST(dimensions(measured.entries[0].record) == "8 radius=2");
  // The ladder is shown with the usual parameter, not with the most work.
  BOOST_TEST(usual_parameters(line(8, 16)));
  BOOST_TEST(!usual_parameters(line(8, 2)));
  const auto more = arrange({a_run()}, {line(16, 16), line(16, 32)});
  BOOST_TEST(to_string(ladder_size(all(more)).value()) == "16x16");
  BOOST_TEST(of_usual_parameters(all(more)).size() == 1u);
  BOOST_TEST(of_usual_parameters(all(measured)).size() == 4u);
}

BOOST_AUTO_TEST_CASE(charts_leave_out_what_has_no_logarithm) {
  Chart chart;
  BOOST_TEST(draw(chart) == "");
  Series series{"a & b", {{0, 1}, {-1, 1}, {1, std::nan("")}}};
  chart.series = {series};
  BOOST_TEST(draw(chart) == "");
  chart.series[0].points.push_back({1, 10});
  chart.labels = {{{5, 1e6}, "1", 2}, {{5, 1e6}, "2", 3}};
  const auto svg = draw(chart);
  BOOST_TEST(has(svg, "a &amp; b"));
  BOOST_TEST(!has(svg, "nan"));
  BOOST_TEST(count(svg, "class=\"leader\"") == 2u);
  BOOST_TEST(tick_words(1e6, Unit::none) == "10⁶");
  BOOST_TEST(tick_words(2e8, Unit::none) == "2·10⁸");
  BOOST_TEST(tick_words(0.02, Unit::second) == "20 ms");
}

BOOST_AUTO_TEST_CASE(what_is_missing_is_said) {
  const auto text =
      page_of(arrange({a_run("")}, {a_record("serial/plain", 8, 9),
                                    a_record("openmp/rows", 8, 3)}));
  BOOST_TEST(has(text, "no GPU here"));
  BOOST_TEST(!has(text, "On the GPU"));
  BOOST_TEST(has(text, "3.00×"));
  BOOST_TEST(has(page_of(arrange({}, {})), "Do the claims"));
}

BOOST_AUTO_TEST_CASE(records_of_another_kind_have_no_time_on_a_page) {
  auto emulated = a_record("cuda/naive", 8, 9),
       cold = a_record("serial/plain", 8, 9),
       zeros = a_record("serial/plain", 8, 9),
       failed = a_record("openmp/rows", 8, 9);
  emulated.emulated = true;
  cold.cache = Cache::cold;
  zeros.inputs = InputKind::zeros;
  failed.verdict = Verdict::timed_out;
  const auto none = arrange({a_run()}, {emulated, cold, zeros, failed});
  BOOST_TEST(none.entries.empty());
  BOOST_TEST(none.failed.size() == 1u);
}

BOOST_AUTO_TEST_CASE(kernels_that_are_only_emulated_are_named) {
  auto naive = a_record("cuda/naive", 8, 9),
       coalesced = a_record("cuda/coalesced", 8, 9),
       warp = a_record("cuda/warp", 8, 9), tiled = a_record("cuda/tiled", 8, 9);
  for (auto* record : {&naive, &coalesced, &warp, &tiled}) {
    record->emulated = true;
    record->source_hash = "hash";  // of all fakes
    record->seconds.clear();
  }
  warp.verdict = Verdict::wrong_result;
  tiled.source_hash = "of another source";
  const auto serial = a_record("serial/plain", 8, 9);
  const std::string said = "Verified by emulation, not timed: ";
  BOOST_TEST(has(
      page_of(arrange({a_run("")}, {serial, naive, coalesced, warp, tiled})),
      said + "naive and coalesced."));
  auto wrong = coalesced;
  wrong.dtype = Dtype::f64;
  wrong.verdict = Verdict::wrong_result;
  BOOST_TEST(
      has(page_of(arrange({a_run("")}, {serial, naive, coalesced, wrong})),
          said + "naive."));
  BOOST_TEST(!has(page_of(arrange({a_run()}, {serial, naive,
                                              a_record("cuda/naive", 8, 9)})),
                  said));
  auto measured = arrange({a_run("")}, {serial});
  BOOST_TEST(!has(page_of(measured), said));
  measured.counted = {naive};
  BOOST_TEST(has(page_of(measured), said + "naive."));
}

BOOST_AUTO_TEST_CASE(machines_side_by_side) {
  auto one = arrange({a_run()}, {a_record("serial/plain", 8, 30),
                                 a_record("cuda/naive", 8, 10),
                                 a_record("cuda/naive", 16, 20)});
  auto run = a_run("");
  run.machine = "other";
  auto record = a_record("openmp/rows", 8, 20);
  record.machine = "other";
  auto two = arrange({run}, {record});
  one.folder = "some where\"<";
  two.folder = "other";
  const auto text = page_of(std::vector{one, two});
  BOOST_TEST(has(text, "href=\"some%20where%22%3C/index.html\""));
  BOOST_TEST(has(text, "href=\"other/index.html\""));
  BOOST_TEST(has(text, "16×16, float"));  // of the GPU
  BOOST_TEST(has(text, "8×8, float"));    // that both CPUs have
  // GPUs are compared with GPUs, CPUs with CPUs
  BOOST_TEST(has(text, "1.50× slower"));
  BOOST_TEST(!has(text, "2.00× slower"));
  BOOST_TEST(has(text, "CPUs: other is the fastest in 1 of 1 workloads."));
  BOOST_TEST(!has(text, "Not measured at these sizes"));
  BOOST_TEST(has(text, "other (CPU only)"));
  BOOST_TEST(has(text, "href=\"other/index.html#claim-v1\""));
  run = a_run("a GPU");
  run.machine = "other";
  BOOST_TEST(has(page_of(std::vector{one, arrange({run}, {record})}),
                 "Not measured at these sizes, on GPUs: other in 1 of 1"));
  BOOST_TEST(!has(text, "What a faster GPU changes"));
  BOOST_TEST(
      has(page_of(std::vector<Measured>{}), "Which machine is the fastest?"));
}

// One GPU's memory is twice as fast as the other's: a kernel at its roof gains
// as much, one that waits for its launch gains nothing.
BOOST_AUTO_TEST_CASE(what_goes_with_memory_and_what_with_neither) {
  const auto machine = [](const std::string& gpu, double memory) {
    auto run = a_run(gpu);
    run.machine = gpu;
    run.device.read = {{1 << 30, memory}};
    run.device.units = {{"fma float", 50e12}};
    std::vector<Record> records{a_record("cuda/naive", 8, 5),
                                a_record("cuda/naive", 8192, 500e12 / memory)};
    for (const std::int64_t radius : {16, 32}) {
      auto& line = records.emplace_back(a_record("cuda/naive", 8, 5));
      line.workload = "fake_line";
      line.dimensions = {"n", "radius"};
      line.size[1] = radius;
    }
    if (gpu == "slow")  // variants that one of them lacks are not compared
      records.push_back(a_record("cuda/wide", 8192, 460e12 / memory));
    for (auto& record : records) {
      record.machine = gpu;
      record.unit = "fma float";
      record.roof_s = record.size[0] == 8 ? 1e-6 : 450e6 / memory;
    }
    return arrange({run}, records);
  };
  const auto text =
      page_of(std::vector{machine("fast", 4e12), machine("slow", 2e12)});
  BOOST_TEST(has(text, "fast over slow"));
  BOOST_TEST(has(text, "memory 2.00×, fma float 1.00×"));
  BOOST_TEST(
      has(text, "At the largest sizes, these follow memory: fake 8192×8192"));
  BOOST_TEST(has(text, "At the smallest sizes, 1 of 1 follow none"));
  const auto changes = text.substr(text.find("fast over slow"));
  BOOST_TEST(has(changes, "8 radius=16"));
  BOOST_TEST(!has(changes, "radius=32"));
  BOOST_TEST(has(text, "far from its limit"));
  BOOST_TEST(
      !has(page_of(std::vector{machine("fast", 4e12), machine("fast", 4e12)}),
           "What a faster GPU changes"));
}

// The roofs are those of one GPU.
BOOST_AUTO_TEST_CASE(a_team_has_no_place_in_the_roofline) {
  const auto fastest_in_roofline = [](int gpus) {
    auto run = a_run();
    run.device.read = {{1 << 30, 4e12}};
    run.device.units = {{"fma float", 50e12}};
    std::vector<Record> records{
        a_record("cuda/naive", 64, 20),
        a_record("cuda/split", 64, 10, {{"gpus", gpus}})};
    for (auto& record : records)
      record.unit = "fma float";
    const auto text = page_of(arrange({run}, records));
    return text.substr(text.find("Roofline of the GPU"));
  };
  BOOST_TEST(has(fastest_in_roofline(1), "cuda/split, gpus=1"));
  BOOST_TEST(!has(fastest_in_roofline(2), "cuda/split"));
  BOOST_TEST(has(fastest_in_roofline(2), "cuda/naive"));
}

// The fastest of each workload has its name there; others are marks only.
BOOST_AUTO_TEST_CASE(a_roofline_names_its_workloads) {
  auto run = a_run();
  run.device.read = {{1 << 30, 4e12}};
  run.device.units = {{"fma float", 50e12}};
  std::vector<Record> records{a_record("cuda/naive", 64, 20),
                              a_record("blas/library", 64, 30)};
  records[1].source = "x.cu";
  for (auto& record : records)
    record.unit = "fma float";
  const auto text = page_of(arrange({run}, records));
  const auto drawn = text.substr(text.find("<figure id=\"fig-roofline-gpu\""));
  const auto figure = drawn.substr(0, drawn.find("</figure>"));
  BOOST_TEST(count(figure, ">fake</text>") == 1u);
  BOOST_TEST(count(figure, "<title>fake, ") == 2u);
  BOOST_TEST(has(figure, "limits fake."));
  BOOST_TEST(has(figure, "on one GPU,"));
  run.gpu.clear();
  run.host = run.device;
  for (auto& record : records)
    record.backend = "openmp", record.source = "x.cpp";
  const auto of_cpu = page_of(arrange({run}, records));
  const auto at = of_cpu.find("<figure id=\"fig-roofline-cpu\"");
  BOOST_TEST_REQUIRE(at != of_cpu.npos);
  BOOST_TEST(!has(of_cpu.substr(at, of_cpu.find("</figure>", at) - at), "GPU"));
}

// Parameters are named, whether usual or not, in the words of size_text().
BOOST_AUTO_TEST_CASE(a_size_names_its_parameters) {
  auto record = a_record("serial/plain", 8, 20);
  BOOST_TEST(dimensions(record) == "8×8");
  record.workload = "fake_line";
  record.size = {1102, 16};
  BOOST_TEST(dimensions(record) == "1102 radius=16");
  BOOST_TEST(point_of(record) == "1102 radius=16, float");
}

BOOST_AUTO_TEST_CASE(long_names_are_broken_between_words) {
  const auto text = html(Document{
      .title = "a_title/of",
      .blocks = {
          Paragraph{"openmp/dynamic_pieces took 3 GB/s, __syncwarp()"},
          Paragraph{Link{"cuda/by_row", "#by_row/x_y"}},
          Strip{.id = "s",
                .title = "t",
                .rows = {{.name = "a_name", .note = "", .marks = {{0.5}}}}}}});
  BOOST_TEST(
      has(text, "openmp/<wbr>dynamic_<wbr>pieces took 3 GB/s, __syncwarp()"));
  BOOST_TEST(has(text, "<a href=\"#by_row/x_y\">cuda/<wbr>by_<wbr>row</a>"));
  BOOST_TEST(has(text, ">a_name<"));
}

// Labels of ticks give way to those of the line.
BOOST_AUTO_TEST_CASE(ticks_of_a_narrow_strip_do_not_meet) {
  const Strip strip{.id = "s",
                    .title = "t",
                    .rows = {{.name = "a", .note = "", .marks = {{0.5}}}},
                    .ticks = {{0.5, "50%"}, {0.75, "75%"}, {1, "100% of all"}}};
  const auto height = [&](StripForm form, const std::string& words) {
    const auto svg = draw(strip, form);
    const auto end = svg.find('>' + words + '<');
    BOOST_TEST_REQUIRE(end != svg.npos, words);
    const auto y = svg.rfind(" y=\"", end) + 4;
    return std::stod(svg.substr(y));
  };
  for (const auto* words : {"75%", "100% of all"})
    BOOST_TEST(height(StripForm::wide, words) ==
               height(StripForm::wide, "50%"));
  BOOST_TEST(height(StripForm::narrow, "75%") ==
             height(StripForm::narrow, "50%"));
  BOOST_TEST(height(StripForm::narrow, "100% of all") <
             height(StripForm::narrow, "75%") - 12);
}

BOOST_AUTO_TEST_CASE(no_line_of_a_narrow_strip_crosses_its_words) {
  const Strip strip{.id = "s",
                    .title = "t",
                    .rows = {{.name = "a",
                              .note = "64x64",
                              .target = "#a",
                              .marks = {{0.5}},
                              .says = {"as fast as all the others"}}},
                    .ticks = {{0.5, "50%"}}};
  const auto svg = draw(strip, StripForm::narrow);
  const auto number = [&](const std::string& name, std::size_t at) {
    return std::stod(
        svg.substr(svg.find(' ' + name + "=\"", at) + name.size() + 3));
  };
  const auto words = svg.find("as fast as all");
  const double below = number("y", svg.rfind("<text", words));
  for (auto line = svg.find("<line"); line != svg.npos;
       line = svg.find("<line", line + 1))
    BOOST_TEST(number("y1", line) > below);
  BOOST_TEST(has(svg, ">64x64</tspan>"));
  // The whole row can be clicked.
  BOOST_TEST(has(svg, "<a href=\"#a\"><rect class=\"row\" x=\"0\""));
}

BOOST_AUTO_TEST_CASE(the_first_screen_says_how_far_kernels_come) {
  auto library = a_record("blas/library", 64, 20);
  library.source = "x.cu";
  std::vector<Record> records{a_record("serial/plain", 64, 900),
                              a_record("cuda/naive", 64, 30),
                              a_record("cuda/wide", 64, 10), library};
  for (auto& record : records)
    record.roof_s = 9.5e-6;
  const auto text = page_of(arrange({a_run()}, records));
  for (const auto* said :
       {"1 computation, 2 variants each",
        "<b>1 of 1</b> <span>workloads reach 90%",
        "<b>1 of 1</b> <span>are as fast as the vendor",
        "3.00× the first kernel", "2.00× as fast as the library",
        "class=\"start\"", "Each row links to the ladder",
        "<a href=\"#workload-fake\">", "cuda/wide: 10.00 µs, 95%",
        "claims of the source reports hold"}) {
    BOOST_TEST(has(text, said), said);
  }
  // For a wide screen and for a narrow one.
  BOOST_TEST(has(text, "class=\"strip narrow\""));
}

BOOST_AUTO_TEST_CASE(claims_that_nothing_tested_do_not_count) {
  const auto measured =
      arrange({a_run("")}, {a_record("serial/plain", 64, 900)});
  const auto text = page_of(measured);
  BOOST_TEST(has(text, "No measurement of this machine tests a claim"));
  BOOST_TEST(has(text, "computed, not measured. ● holds"));
  BOOST_TEST(!has(text, "claims of the source reports hold;"));
}

BOOST_AUTO_TEST_CASE(the_summary_says_what_was_not_measured) {
  auto measured = arrange({a_run()}, {a_record("cuda/naive", 64, 30)});
  measured.experiments = {{"patras-atax", {"fake"}}};
  const auto text = page_of(measured);
  BOOST_TEST(has(text,
                 "Not measured here: the experiments (make NAME) cslab-dmv, "
                 "patras-convolution, "));
  BOOST_TEST(has(text, "; the workloads atax, "));
  BOOST_TEST(has(text, "; on the CPU fake."));
  auto in_double = a_record("serial/plain", 64, 900);
  in_double.dtype = Dtype::f64;
  measured = arrange({a_run()}, {a_record("cuda/naive", 64, 30),
                                 a_record("serial/plain", 64, 90), in_double});
  measured.experiments = {{"patras-atax", {"fake"}}};
  BOOST_TEST(has(page_of(measured), "; on the GPU fake in double."));
}

BOOST_AUTO_TEST_CASE(a_ratio_of_two_gpus_says_so) {
  auto naive = a_record("cuda/naive", 64, 30),
       wide = a_record("cuda/wide", 64, 20);
  naive.gpu = "GPU-1";
  const auto text = [&] { return page_of(arrange({a_run()}, {naive, wide})); };
  BOOST_TEST(!has(text(), "×; on different GPUs"));  // one is unknown
  wide.gpu = "GPU-1";
  BOOST_TEST(!has(text(), "×; on different GPUs"));
  wide.gpu = "GPU-2";
  BOOST_TEST(has(text(), "×; on different GPUs"));
}

BOOST_AUTO_TEST_CASE(a_ratio_of_two_hosts_says_so_or_is_none) {
  auto serial = a_record("serial/plain", 64, 900),
       openmp = a_record("openmp/rows", 64, 100),
       library = a_record("blas/openblas", 64, 150),
       gpu = a_record("cuda/naive", 64, 30);
  library.source = "x.cpp";
  for (auto* record : {&serial, &openmp, &library, &gpu})
    record->gpus_of_host = "GPU-1";
  const auto text = [&] {
    return page_of(arrange({a_run()}, {serial, openmp, library, gpu}));
  };
  BOOST_TEST(!has(text(), "on different hosts<"));
  BOOST_TEST(!has(text(), "not compared <"));
  openmp.gpus_of_host = "GPU-2";
  // The GPU compared with it is a ratio of two hosts; it has no ratio to serial
  // code.
  BOOST_TEST(has(text(), "on different hosts<"));
  // as the ladder says
  BOOST_TEST(has(text(), "not compared <small>on different hosts"));
}

BOOST_AUTO_TEST_CASE(what_sets_a_roof_is_told_by_the_ceilings_of_its_run) {
  auto run = a_run(), older = a_run();
  older.id = "older";
  for (auto* of : {&run, &older}) {
    of->device.read = {{1 << 30, 1e12}};
    of->device.units = {{"fma float", 1e12}};
  }
  run.device.launch_s = 2e-6;
  older.device.launch_s = 3e-6;
  auto record = a_record("cuda/naive", 64, 5);
  record.unit = "fma float";
  const auto limit = [&](double roof, double flops) {
    record.roof_s = roof;
    record.flops = flops;
    return limit_of(arrange({older, run}, {record}), record);
  };
  BOOST_TEST(limit(2e-6, 1) == "a launch");
  BOOST_TEST(limit(3e-6, 1) == "memory");
  BOOST_TEST(limit(3e-6, 1e9) == "fma float");
  record.run = "older";
  BOOST_TEST(limit(3e-6, 1) == "a launch");
  BOOST_TEST(limit(0, 1) == "");
  record.run = "lost";
  BOOST_TEST(limit(3e-6, 1) == "");
}

BOOST_AUTO_TEST_CASE(units_of_integers_do_no_floating_point) {
  BOOST_TEST(words(peak_rate("tensor int8", 1.98e15)) == "1980 Top/s");
  BOOST_TEST(words(peak_rate("int", 5e9)) == "5.00 Gop/s");
  BOOST_TEST(words(peak_rate("fma float", 5e12)) == "5.00 Tflop/s");
}

BOOST_AUTO_TEST_CASE(what_a_variant_chooses_itself_is_not_a_setting) {
  BOOST_TEST(setting(a_record("cuda/naive", 8, 5, {{"block", 0}})) ==
             "cuda/naive");
  BOOST_TEST(
      setting(a_record("cuda/naive", 8, 5, {{"block", 64}, {"strip", 0}})) ==
      "cuda/naive, block=64");
}

// The machine's ceilings are not those of a single bad run.
BOOST_AUTO_TEST_CASE(ceilings_are_the_best_of_all_runs) {
  auto first = a_run(), second = a_run();
  first.host.read = {{1 << 30, 100e9}};
  first.host.units = {{"fma float", 2e12}};
  second.id = "second";
  second.host.read = {{1 << 30, 120e9}};
  second.host.units = {{"fma float", 1e11}};
  const auto ceilings = arrange({first, second}, {}).host_ceilings().value();
  BOOST_TEST(ceilings.read.back().second == 120e9);
  BOOST_TEST(ceilings.units.at("fma float") == 2e12);
  BOOST_TEST(!arrange({first}, {}).device_ceilings());
}

BOOST_AUTO_TEST_CASE(hosts_of_one_image_are_told_by_their_gpus) {
  auto first = a_run(), second = a_run();
  first.host_id = second.host_id = "one image";
  first.gpus = {GpuFacts{.uuid = "a"}};
  second.gpus = {GpuFacts{.uuid = "b"}};
  const auto of_both = [&] {
    second.id = "second";
    return page_of(arrange({first, second}, {}));
  };
  BOOST_TEST(has(of_both(), "2 hosts of this name, with 2 GPUs"));
  second.gpus = first.gpus;
  BOOST_TEST(!has(of_both(), "hosts of this name"));
}

BOOST_AUTO_TEST_CASE(a_time_that_the_audit_speaks_against_is_left_out) {
  const testing::Folder folder;
  std::ofstream file(folder.path / "x.jsonl");
  file << to_json_line(a_run()) << "\n";
  for (const std::int64_t n : {8, 16, 32}) {
    auto record =
        a_record("serial/plain", n, 100.0 * static_cast<double>(n * n));
    record.source = "Makefile";  // a file that exists
    if (n == 16) record.roof_s = 1;
    file << to_json_line(record) << "\n";
  }
  file.close();
  const auto measured = load_machine(folder.path);
  BOOST_TEST(measured.entries.size() == 2u);
  BOOST_TEST(measured.rejected == 1u);
  BOOST_TEST(has(page_of(measured), "why each was left out"));
}

BOOST_AUTO_TEST_CASE(a_page_is_of_one_folder) {
  for (const auto& words : {std::vector<std::string>{"page"},
                            {"page", "a", "b"},
                            {"page", "results/a b"},
                            {"page", "/nowhere"},
                            {"index"},
                            {"index", "/nowhere"}})
    BOOST_CHECK_THROW(testing::said_by(words), UsageError);
  BOOST_CHECK_THROW(load_machine("/nowhere"), UsageError);
}

BOOST_AUTO_TEST_SUITE_END()
