// Counters: ncu's output is read correctly, and values that it could not read
// are absent.
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/run_request.hpp"
#include "core/text.hpp"
#include "counters/counters.hpp"
#include "counters/ncu.hpp"
#include "counters/pairs.hpp"
#include "counters/registers.hpp"
#include "fake_ncu.hpp"
#include "folder.hpp"
#include "places/executor.hpp"
#include "record/store.hpp"
#include "records.hpp"
#include "report/reporter.hpp"
#include "support.hpp"
#include "text.hpp"

namespace fs = std::filesystem;
using namespace parlab;
using parlab::testing::has;
using testing::contains;
using testing::FakeNcu;
using testing::Folder;
using testing::message_of;

namespace {

// Output of ncu 2025.3: its own lines, the titles, the units, one row per
// kernel. A row of execution_begins marks each of the two executions. The first
// has two kernels, the second has one, whose memory throughput and branches
// could not be read.
constexpr const char* output =
    R"csv(==PROF== Connected to process 4711 (/parlab)
==PROF== Profiling "execution_begins": 0%....50%....100% - 2 passes
==PROF== Disconnected from process 4711
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","dram__bytes_read.sum","dram__bytes_write.sum","gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed","gpu__time_duration.sum","l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum","l1tex__t_requests_pipe_lsu_mem_global_op_st.sum","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum","sm__warps_active.avg.pct_of_peak_sustained_active","smsp__sass_average_branch_targets_threads_uniform.pct"
"","","","","","","","","","","","byte","byte","%","ns","","","","","%","%"
"0","4711","parlab","h","parlab::<unnamed>::execution_begins()","1","13","(1, 1, 1)","(1, 1, 1)","0","9.0","0","0","0.1","1,000","0","0","0","0","1.5","n/a"
"1","4711","parlab","h","void rw<int>(int *, const int *, long)","1","13","(128, 1, 1)","(2,048, 1, 1)","0","9.0","1,048,576","4,096","40.5","30,000","10,000","2,000","160,000","8,000","80","75.5"
"2","4711","parlab","h","void rw<int>(int *, const int *, long)","1","13","(128, 1, 1)","(16, 1, 1)","0","9.0","8,192","0","0.5","1.0e+04","100","20","400","20","6.25","50"
"3","4711","parlab","h","parlab::<unnamed>::execution_begins()","1","13","(1, 1, 1)","(2, 1, 1)","0","9.0","0","0","0.1","1,000","0","0","0","0","1.5","n/a"
"4","4711","parlab","h","void last_block<int, 4>(""quoted"", int)","1","13","(256, 1, 1)","(264, 1, 1)","0","9.0","1,048,576","0","(!) n/a","5,000","2,048","0","32,768","0","96.5","nan"
)csv";

Record a_record() {
  auto record = testing::record_of("vector_sum/cuda/rw", {262144});
  record.dimensions = {"n"};
  record.tunables = {{"block", 128}};
  record.seconds = {1e-5, 1.1e-5};
  record.flops = 262143;
  record.bytes = 1048580;
  record.launch.launches = 2;
  record.launch.registers = 16;
  record.launch.occupancy = 1;
  record.launch.active_warps = 64;
  record.launch.limited_by = "threads";
  record.run = "run-1";
  return record;
}

std::string explained(const std::vector<Record>& records) {
  std::ostringstream out;
  const auto reporter = make_reporter("explain", out);
  reporter->point(records);
  reporter->finish();
  return out.str();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(counters)

BOOST_AUTO_TEST_CASE(rows_of_the_raw_page) {
  const auto kernels = parse_profile(output);
  BOOST_REQUIRE(kernels.size() == 5u);
  BOOST_TEST(kernels[1].name == "void rw<int>(int *, const int *, long)");
  BOOST_TEST(kernels[1].grid == "(2,048, 1, 1)");
  BOOST_TEST(kernels[1].metrics.at("dram__bytes_read.sum") == 1048576);
  BOOST_TEST(kernels[2].metrics.at("gpu__time_duration.sum") == 10000);
  BOOST_TEST(kernels[4].name == "void last_block<int, 4>(\"quoted\", int)");
  BOOST_TEST(kernels[4].metrics.count(
                 "smsp__sass_average_branch_targets_threads_uniform.pct") ==
             0u);
  BOOST_TEST(parse_profile("").empty());
  BOOST_TEST(parse_profile("==ERROR== no\n\"4\",\"5\"\n").empty());
}

BOOST_AUTO_TEST_CASE(kernels_of_an_execution_are_added_up) {
  const auto found = counters_by_execution(parse_profile(output), 2);
  BOOST_REQUIRE(found.size() == 2u);
  const auto close = [](double value, double expected) {
    BOOST_TEST(value == expected, boost::test_tools::tolerance(1e-12));
  };
  const auto& rw = found[0];
  close(rw.at("global_load_requests"), 10100);
  close(rw.at("global_load_sectors"), 160400);
  close(rw.at("sectors_per_load_request"), 160400.0 / 10100);
  close(rw.at("sectors_per_store_request"), 8020.0 / 2020);
  close(rw.at("dram_bytes"), 1048576 + 4096 + 8192);
  close(rw.at("memory_percent"), (40.5 * 30000 + 0.5 * 10000) / 40000);
  close(rw.at("achieved_occupancy"), 0.8);   // that of the longer kernel
  close(rw.at("branch_uniformity"), 0.755);  // likewise
  close(rw.at("profiled_kernels"), 2);
}

BOOST_AUTO_TEST_CASE(counters_of_both_sides_are_paired) {
  const auto pairs = pairs_of({{"global_load_requests", 100},
                               {"global_load_sectors", 403},
                               {"global_atomic_requests", 8},
                               {"shared_bank_conflicts", 0}},
                              {{"global_load_requests", 101},
                               {"global_load_sectors", 400},
                               {"global_atomic_requests", 3},
                               {"global_reduction_requests", 6},
                               {"shared_store_requests", 0},
                               {"shared_load_requests", 5},
                               {"dram_bytes", 7}});
  const auto one = [&](const std::string& name) {
    const auto found = std::ranges::find(pairs, name, &CounterPair::counter);
    BOOST_TEST_REQUIRE((found != pairs.end()), name);
    return *found;
  };
  BOOST_TEST(pairs.size() == 4U);  // none for zeros, none without a partner
  BOOST_TEST(one("global_load_requests").agrees());
  BOOST_TEST(one("global_load_sectors").agrees());
  BOOST_TEST(!one("global_atomic_requests").agrees());
  BOOST_TEST(one("global_atomic_requests").on_gpu == 9);
  BOOST_TEST(one("shared_load_requests").apart() == 1);
}

BOOST_AUTO_TEST_CASE(a_record_tells_the_shape_of_its_gpu) {
  auto record = a_record();
  BOOST_TEST(shape_of_gpu(record).multiprocessors ==
             GpuShape().multiprocessors);
  record.counters = {{"multiprocessors", 132}, {"l2_bytes", 50e6}};
  BOOST_TEST(shape_of_gpu(record).multiprocessors == 132);
  BOOST_TEST(shape_of_gpu(record).l2_bytes == 50'000'000U);
  BOOST_TEST(shape_of_gpu(record).warps == 64);
}

BOOST_AUTO_TEST_CASE(counters_that_were_not_read_are_absent) {
  const auto last = counters_by_execution(parse_profile(output), 2)[1];
  BOOST_TEST(last.at("global_load_requests") == 2048);
  BOOST_TEST(last.at("global_store_requests") == 0);  // it was read: there were
                                                      // none
  for (const auto* name :
       {"memory_percent", "branch_uniformity", "sectors_per_store_request",
        "compute_percent", "shared_bank_conflicts"}) {
    BOOST_TEST(last.count(name) == 0u, name);
  }
}

BOOST_AUTO_TEST_CASE(there_is_no_sum_when_one_kernel_was_not_read) {
  std::string torn = output;
  torn.replace(torn.find("\"8,192\""), 7, "\"n/a\"");
  const auto rw = counters_by_execution(parse_profile(torn), 2)[0];
  BOOST_TEST(rw.count("dram_read_bytes") == 0u);
  BOOST_TEST(rw.count("dram_bytes") == 0u);
  BOOST_TEST(rw.count("dram_write_bytes") == 1u);
}

BOOST_AUTO_TEST_CASE(executions_are_told_apart_by_their_mark) {
  // The first execution ended before its kernels: the second one keeps its own.
  std::string text = output;
  for (int i = 0; i < 3; ++i) {
    const auto begin = text.find("\"" + std::to_string(i) + "\",\"4711\"");
    text.erase(begin, text.find('\n', begin) + 1 - begin);
  }
  const auto found = counters_by_execution(parse_profile(text), 2);
  BOOST_TEST(found[0].empty());
  BOOST_TEST(found[1].at("global_load_requests") == 2048);
  // A mark of an execution that was not requested, kernels before any mark, and
  // a mark without a number.
  BOOST_TEST(counters_by_execution(parse_profile(text), 1)[0].empty());
  BOOST_TEST(counters_by_execution({{"rw", "(1, 1, 1)", {}}}, 1)[0].empty());
  BOOST_TEST(
      counters_by_execution({{profile_mark, "", {}}, {"rw", "", {}}}, 1)[0]
          .empty());
}

BOOST_AUTO_TEST_CASE(why_nothing_was_counted_is_said) {
  BOOST_TEST(has(why_nothing_was_counted(
                     "==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - The "
                     "user does not have permission\n"),
                 Cause::ncu_not_permitted));
  BOOST_TEST(words(why_nothing_was_counted(
                 "parlab: x failed\n==ERROR== It returned 1\n==ERROR== y\n")) ==
             "ncu says: It returned 1; the program said: parlab: x failed");
  BOOST_TEST(words(why_nothing_was_counted("==ERROR== LibraryNotLoaded\n")) ==
             "ncu says: LibraryNotLoaded");
  BOOST_TEST(contains(why_nothing_was_counted(
                          "parlab: x needs 3 GiB\n==WARNING== No kernels\n"),
                      "the program said: parlab: x needs 3 GiB"));
  BOOST_TEST((why_nothing_was_counted("") ==
              Detail{.cause = Cause::ncu_saw_no_kernel}));
}

BOOST_AUTO_TEST_CASE(ncu_is_given_every_word_unchanged) {
  // This ncu prints its arguments as the name of a kernel.
  const FakeNcu fake(R"sh(
all=
for word in "$@"; do all="$all<$word>"; done
echo '"ID","Kernel Name","Grid Size"'
echo "\"0\",\"$all\",\"(1, 1, 1)\""
)sh");
  const auto kernels =
      profile({"vector_sum", "it's $HOME", "cuda/rw block=128"}, Cache::cold,
              "")
          .kernels;
  BOOST_REQUIRE(kernels.size() == 1u);
  const auto& words = kernels[0].name;
  BOOST_TEST(contains(
      words, "<execute-once><vector_sum><it's $HOME><cuda/rw block=128>"));
  BOOST_TEST(contains(words, "<--cache-control><all>"));
  BOOST_TEST(
      contains(words, "<" + fs::read_symlink("/proc/self/exe").string() + ">"));
  BOOST_TEST(
      contains(words, "sm__throughput.avg.pct_of_peak_sustained_elapsed"));
  BOOST_TEST(contains(profile({"x"}, Cache::hot, "").kernels[0].name,
                      "<--cache-control><none>"));
  BOOST_TEST(contains(words, "<--export><"));
  BOOST_TEST(
      contains(profile({"x"}, Cache::hot, "", "a b.ncu-rep").kernels[0].name,
               "<--export><a b.ncu-rep>"));
}

BOOST_AUTO_TEST_CASE(an_ncu_that_lacks_exact_wavefronts_is_asked_again) {
  const std::string count = R"sh(
echo '"ID","Kernel Name","Grid Size","l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum","smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"'
echo '"0","execution_begins()","(1, 1, 1)","0","0"'
)sh";
  const auto wavefronts = [] {
    return counters_by_execution(profile({"x"}, Cache::hot, "").kernels, 1)
        .front()
        .at("shared_load_wavefronts");
  };
  {
    const FakeNcu newer(count +
                        "echo '\"1\",\"rw()\",\"(8, 1, 1)\",\"70\",\"64\"'\n");
    BOOST_TEST(wavefronts() == 64);
  }
  const FakeNcu older(
      "case \"$*\" in *smsp__sass_l1tex*) echo '==ERROR== Failed to find "
      "metric smsp__sass'; exit 1;; esac\n" +
      count + "echo '\"1\",\"rw()\",\"(8, 1, 1)\",\"70\",\"n/a\"'\n");
  BOOST_TEST(wavefronts() == 70);
}

BOOST_AUTO_TEST_CASE(registers_are_those_that_ptxas_names) {
  const auto found = parse_ptxas(R"(nvcc warning : something else
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_ZN40_GLOBAL__N__f88b5b34_8_naive_cu_63caf8a19dmv_naiveIfEEvPKT_S3_PS1_ll' for 'sm_90'
ptxas info    : Function properties for _ZN40_GLOBAL__N__f88b5b34_8_naive_cu_63caf8a19dmv_naiveIfEEvPKT_S3_PS1_ll
    8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 30 registers, used 0 barriers, 8 bytes cumulative stack size
ptxas info    : Compile time = 4.000 ms
ptxas info    : Compiling entry function 'plain' for 'sm_90'
ptxas info    : Used thirty registers
)");
  BOOST_TEST_REQUIRE(found.size() == 1U);
  BOOST_TEST((found.front() == KernelResources{"dmv_naive<float>", 30, 12}));
  const auto table = table_of(found, 256);
  BOOST_TEST_REQUIRE(table.rows.size() == 1U);
  BOOST_TEST(words(table.rows[0].cells[3].text) == "64");
  BOOST_TEST(words(table_of({{"wide", 128, 0}}, 256).rows[0].cells[3].text) ==
             "16");
}

BOOST_AUTO_TEST_CASE(a_failing_ncu_says_why) {
  const FakeNcu fake("echo '==ERROR== The profiler is in use' >&2; exit 9\n");
  BOOST_TEST(message_of<NoCounters>([] { profile({"x"}, Cache::hot, ""); }) ==
             "ncu says: The profiler is in use");
  const FakeNcu half(
      "echo '\"ID\",\"Kernel Name\"'; echo '\"0\",\"rw\"'; exit 9");
  BOOST_CHECK_THROW(profile({"x"}, Cache::hot, ""), NoCounters);
}

// The first of two points does not fit into memory beside ncu's copies.
BOOST_AUTO_TEST_CASE(a_point_without_counters_leaves_the_others_theirs) {
  const FakeNcu fake(R"sh(
case "$*" in *262144*) echo '==ERROR== out of memory' >&2; exit 9 ;; esac
echo '"ID","Kernel Name","Grid Size","dram__bytes_read.sum"'
echo '"0","execution_begins()","(1, 1, 1)","0"'
echo '"1","rw()","(8, 1, 1)","4096"'
)sh");
  testing::Collector collector;
  auto small = a_record();
  small.size = {4096};
  Points points{{a_record()}, {small}};
  count_each_point(points, "", collector);
  BOOST_TEST(points[0][0].counters.empty());
  BOOST_TEST(points[1][0].counters.at("dram_read_bytes") == 4096);
  BOOST_REQUIRE(collector.notes.size() == 1u);
  BOOST_TEST(contains(collector.notes[0], "no counters of vector_sum 262144"));
  BOOST_TEST(contains(collector.notes[0], "out of memory"));
}

BOOST_AUTO_TEST_CASE(without_permission_no_point_is_tried_again) {
  const FakeNcu fake("echo '==ERROR== ERR_NVGPUCTRPERM' >&2; exit 1\n");
  testing::Collector collector;
  Points points{{a_record()}, {a_record()}};
  BOOST_CHECK_THROW(count_each_point(points, "", collector), NoCountersHere);
  BOOST_TEST(collector.notes.empty());
}

#ifdef PARLAB_EMULATED  // on a machine with a GPU there are counters
BOOST_AUTO_TEST_CASE(without_a_gpu_there_is_one_note_and_nothing_else) {
  testing::Collector collector;
  Points points{{a_record()}};
  add_counters(points, "", collector);
  BOOST_REQUIRE(collector.notes.size() == 1u);
  BOOST_TEST(has(collector.notes[0], Cause::needs_gpu_and_ncu));
  BOOST_TEST(points[0][0].counters.empty());
}

BOOST_AUTO_TEST_CASE(without_a_gpu_each_variant_says_why_it_was_not_executed) {
  const auto message = message_of<ExplainedError>([] {
    execute_once({"vector_sum", "64", "float", "cuda/rw block=32", "cuda/brw"});
  });
  BOOST_TEST(contains(message, "cuda/rw: only a GPU"));
  BOOST_TEST(contains(message, "cuda/brw: only a GPU"));
}
#endif

BOOST_AUTO_TEST_CASE(execute_once_refuses_nonsense) {
  const std::vector<std::vector<std::string>> cases{
      {},
      {"vector_sum", "64"},
      {"nothing", "64", "float", "cuda/rw"},
      {"vector_sum", "64", "half", "cuda/rw"},
      {"vector_sum", "64", "float", "serial/plain"},
      {"vector_sum", "64", "float", "cuda/rw block"}};
  for (const auto& words : cases) {
    BOOST_TEST_CONTEXT(join(words, " ")) {
      BOOST_CHECK_THROW(execute_once(words), UsageError);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_record_with_counters_replaces_the_one_without) {
  const Folder folder;
  const auto file = folder.path / "r.jsonl";
  Run run;
  run.id = "run-1";
  run.machine = "m";
  auto record = a_record();
  Store(file, run).append(record);
  record.counters = {{"dram_bytes", 5}};
  Store(file, run).append(record);
  const auto loaded = load_records(file);
  BOOST_TEST(loaded.warnings.empty());
  BOOST_TEST(loaded.records.size() == 2u);
  const auto last = latest(loaded.records);
  BOOST_REQUIRE(last.size() == 1u);
  BOOST_TEST(last[0].counters.at("dram_bytes") == 5);
  BOOST_TEST(last[0].seconds == record.seconds,
             boost::test_tools::per_element());
  std::ifstream in(file);
  int lines = 0;
  for (std::string line; std::getline(in, line);)
    ++lines;
  BOOST_TEST(lines == 3);  // two records, and the run only once
}

// Like emulation's: only one of several variants was counted.
BOOST_AUTO_TEST_CASE(counters_are_appended_to_the_run_that_has_the_record) {
  const Folder folder;
  const auto file = folder.path / "r.jsonl";
  Run run;
  run.id = "run-1";
  run.machine = "m";
  auto counted = a_record(), other = a_record();
  other.variant = "brw";
  {
    Store store(file, run);
    store.append(counted);
    store.append(other);
  }
  counted.counters = {{"global_load_sectors", 5}};
  append_counters({&counted, &other}, file);
  append_counters({&counted}, "");
  const auto loaded = load_records(file);
  BOOST_TEST(loaded.records.size() == 3U);
  BOOST_TEST(loaded.runs.size() == 1U);
  for (const auto& record : latest(loaded.records))
    BOOST_TEST(record.counters.empty() == (record.variant == "brw"));
}

BOOST_AUTO_TEST_CASE(options_that_ask_for_counters) {
  const auto parse = [](std::vector<std::string> words,
                        const Environment& environment = {}) {
    words.insert(words.begin(), "bin/parlab");
    return read_run(read_arguments(words, environment));
  };
  BOOST_TEST(read_arguments({"vector_sum", "64"}, {{"PARLAB_COUNTERS", "1"}})
                 .on("counters"));
  BOOST_TEST(
      parse({"vector_sum", "64", "--explain"}, {{"PARLAB_FORMAT", "csv"}})
          .format == "explain");
  BOOST_CHECK_THROW(parse({"vector_sum", "64", "--explain", "--format", "csv"}),
                    UsageError);
}

namespace {

// A record whose numbers fill their columns.
Record wide_record() {
  auto wide = a_record();
  wide.variant = "granularity_of_it_all";
  wide.tunables = {{"granularity", 4}, {"tile", 32}};
  wide.launch.limited_by = "shared memory";
  wide.launch.shared_bytes = 232448;
  wide.launch.registers = 255;
  wide.launch.spill_bytes = 16;
  return wide;
}

Record serial_record() {
  auto serial = a_record();
  serial.backend = "serial";
  serial.launch = {};
  return serial;
}

void check_width(const std::string& text) {
  for (const auto& line : split(text, '\n'))
    BOOST_TEST(line.size() <= 100u, line);
}

}  // namespace

BOOST_AUTO_TEST_CASE(explained_without_counters) {
  auto wrong = a_record();
  wrong.variant = "bad";
  wrong.verdict = Verdict::wrong_result;
  wrong.detail = other("y[3] is off");
  const auto text =
      explained({serial_record(), a_record(), wide_record(), wrong});
  BOOST_TEST(contains(text, "intensity 0.2500 flop/byte"));
  BOOST_TEST(contains(text, "No counters were read"));
  BOOST_TEST(contains(text, "spills 16 bytes per thread"));
  BOOST_TEST(contains(text, "wrong_result: y[3] is off"));
  BOOST_TEST(!contains(text, "serial"), text);
  BOOST_TEST(!contains(text, "occ*"), text);
  check_width(text);
}

BOOST_AUTO_TEST_CASE(explained_with_counters) {
  auto rw = a_record();
  rw.counters = counters_by_execution(parse_profile(output), 2)[0];
  auto wide = wide_record();
  wide.counters = {{"sectors_per_load_request", 31.96},
                   {"achieved_occupancy", 0.999},
                   {"branch_uniformity", 1},
                   {"shared_bank_conflicts", 123456789},
                   {"dram_bytes", 123.4 * wide.bytes},
                   {"memory_percent", 99.7},
                   {"compute_percent", 100},
                   {"sectors_per_store_request", 12.55}};
  const auto text = explained({rw, wide, a_record()});
  BOOST_TEST(contains(text, "15.88"));   // sectors per load request
  BOOST_TEST(contains(text, "76%"));     // branch uniformity
  BOOST_TEST(contains(text, "1.012x"));  // DRAM traffic
  BOOST_TEST(contains(text, "123M"));    // bank conflicts
  BOOST_TEST(!contains(text, "No counters were read"), text);
  check_width(text);
}

BOOST_AUTO_TEST_CASE(without_a_kernel_there_is_nothing_to_explain) {
  BOOST_TEST(contains(explained({serial_record()}), "nothing to explain"));
}

BOOST_AUTO_TEST_SUITE_END()
