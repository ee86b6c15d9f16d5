// ncu's counts of a kernel's lines are read into the form of emulation's.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <sstream>

#include "counters/counters.hpp"
#include "counters/ncu_lines.hpp"
#include "fake_ncu.hpp"
#include "records.hpp"
#include "render/formats.hpp"
#include "support.hpp"
#include "text.hpp"

using namespace parlab;
using testing::contains;

namespace {

// Printed on an H100 by ncu 2025.3; instructions that access no memory are left
// out. The first of two executions has two kernels, the second has one.
constexpr const char* page_file = "tests/counters/ncu-source-page.csv";

std::string page() {
  std::ifstream in(page_file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

const CountedLine& line(const std::vector<CountedLine>& lines,
                        const std::string& file, unsigned number,
                        Access access) {
  const auto found = std::ranges::find_if(lines, [&](const CountedLine& one) {
    return one.file.ends_with(file) && one.line == number &&
           one.access == access;
  });
  BOOST_TEST_REQUIRE((found != lines.end()), file << ':' << number);
  return *found;
}

std::int64_t sum(const std::vector<CountedLine>& lines, Access access,
                 std::int64_t CountedLine::*member) {
  std::int64_t all = 0;
  for (const auto& one : lines)
    all += one.access == access ? one.*member : 0;
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(ncu_lines)

BOOST_AUTO_TEST_CASE(each_instruction_belongs_to_a_line_of_its_kernel_once) {
  const auto executions = lines_by_execution(page(), 2);
  BOOST_TEST_REQUIRE(executions.size() == 2U);
  const auto& first = executions[0];
  const auto& load = line(first, "small.cu", 11, Access::global_load);
  BOOST_TEST(load.requests == 320);
  BOOST_TEST(load.lanes == 10240);
  BOOST_TEST(load.bytes == 4);
  BOOST_TEST(load.moved == 10240);
  BOOST_TEST(load.fewest == 1280);
  const auto& store = line(first, "small.cu", 11, Access::shared_store);
  BOOST_TEST(store.moved == 10240);
  BOOST_TEST(store.fewest == 320);
  BOOST_TEST(line(first, "small.cu", 12, Access::barrier).requests == 320);
  // two loads of one line
  BOOST_TEST(line(first, "small.cu", 22, Access::global_load).requests == 640);
  // the grid of the second execution is twice as large
  BOOST_TEST(line(executions[1], "small.cu", 11, Access::global_load).moved ==
             20480);
  BOOST_TEST(first.front().moved == 10240);
}

// The raw page has the same totals for these kernels.
BOOST_AUTO_TEST_CASE(lines_add_up_to_the_kernels_totals) {
  const auto first = lines_by_execution(page(), 2)[0];
  BOOST_TEST(sum(first, Access::global_load, &CountedLine::moved) ==
             11520 + 5120);
  BOOST_TEST(sum(first, Access::global_store, &CountedLine::moved) ==
             1280 + 2560);
  BOOST_TEST(sum(first, Access::atomic, &CountedLine::requests) == 320 + 320);
}

// It is inlined from inlined.hpp; ncu shows it there, too.
BOOST_AUTO_TEST_CASE(an_inlined_instruction_is_at_the_kernels_own_line) {
  const auto first = lines_by_execution(page(), 2)[0];
  BOOST_TEST(line(first, "small.cu", 15, Access::global_load).lanes == 5120);
  BOOST_TEST(std::ranges::none_of(first, [](const CountedLine& one) {
    return one.file.ends_with("inlined.hpp");
  }));
  // An instruction that is only in a header stays there: an atomic with a
  // result, and one without.
  const auto atomics =
      std::ranges::count(first, Access::atomic, &CountedLine::access);
  BOOST_TEST(atomics == 2);
  BOOST_TEST(std::ranges::find(first, Access::atomic, &CountedLine::access)
                 ->file.ends_with("device_atomic_functions.hpp"));
}

BOOST_AUTO_TEST_CASE(other_output_has_no_lines) {
  BOOST_TEST(lines_by_execution("", 1)[0].empty());
  BOOST_TEST(
      lines_by_execution("==ERROR== no\n\"1\",\"x\n\"\",\"\",\"0x1\"\n", 1)[0]
          .empty());
  // an execution that was not requested, and kernels before any mark
  BOOST_TEST(lines_by_execution(page(), 1).size() == 1U);
  const auto text = page();
  const auto kernel = text.find("\"File Path\"", 20);
  BOOST_TEST(
      lines_by_execution(
          text.substr(kernel, text.find("execution_begins", kernel) - kernel),
          1)[0]
          .empty());
}

BOOST_AUTO_TEST_CASE(a_counted_point_is_shown_line_by_line) {
  const testing::FakeNcu fake(
      std::string("case \"$*\" in *--import*) exec /bin/cat ") +
      std::filesystem::absolute(page_file).string() +
      R"sh( ;; esac
echo '"ID","Kernel Name","Grid Size","dram__bytes_read.sum"'
echo '"0","execution_begins()","(1, 1, 1)","0"'
echo '"1","strided()","(40, 1, 1)","4096"'
)sh");
  auto record = testing::record_of("vector_sum/cuda/rw", {262144});
  auto small = record;
  small.size = {4096};
  record.bytes = 4 * 262144;
  small.bytes = 4 * 4096;
  testing::Collector collector;
  Points points{{small}, {record}};
  const auto document = count_each_point(points, "", collector);
  BOOST_TEST(points[0][0].counters.at("dram_read_bytes") == 4096);
  const auto text = terminal(document);
  BOOST_TEST(contains(text, "vector_sum/cuda/rw 262144"), text);
  BOOST_TEST(!contains(text, "vector_sum/cuda/rw 4096"), text);
  BOOST_TEST(contains(text,
                      "line 11: a warp's load touches 32 sectors where 4 "
                      "would do"),
             text);
  BOOST_TEST(contains(text,
                      "line 13: a warp's load takes 32 wavefronts where 1 "
                      "would do"),
             text);
  // ncu does not say how often a sector is used again, nor what was launched
  BOOST_TEST(!contains(text, "brings each sector"), text);
  BOOST_TEST(!contains(text, "launches"), text);
  BOOST_TEST(contains(json_lines(document), "\"moved\":10240"),
             json_lines(document));
}

BOOST_AUTO_TEST_SUITE_END()
