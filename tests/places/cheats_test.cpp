// Variants that cheat or fail. The harness is only worth something if it
// catches every one. docs/explanation/proof.md lists them, and the cheats that
// cannot be caught.
#include <omp.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cfenv>
#include <chrono>
#include <clocale>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <locale>
#include <map>
#include <thread>

#include "facts/cause.hpp"
#include "folder.hpp"
#include "host/host.hpp"
#include "machine/roof.hpp"
#include "places/cheats.hpp"
#include "support.hpp"
#include "text.hpp"
#include "workloads/dmv.hpp"
#include "workloads/matmul.hpp"

using namespace parlab;
using testing::contains, testing::only_record, testing::plan_for;

namespace {

template <typename T>
using Args = Dmv::Args<T>;

template <typename T>
void compute_rows(const Args<T>& p, std::int64_t first, std::int64_t last,
                  std::int64_t step = 1) {
  for (std::int64_t row = first; row < last; row += step) {
    T sum = 0;
    for (std::int64_t col = 0; col < p.cols; ++col)
      sum += p.a[row * p.cols + col] * p.x[col];
    p.y[row] = sum;
  }
}

template <typename T>
void honest(const Args<T>& p) {
  compute_rows(p, 0, p.rows);
}

// An earlier answer.
struct Memory {
  std::vector<float> y;

  void keep(const Args<float>& p) { y.assign(p.y, p.y + p.rows); }
  void give(const Args<float>& p) const {
    std::memcpy(p.y, y.data(), y.size() * sizeof(float));
  }
  bool fits(const Args<float>& p) const {
    return static_cast<std::int64_t>(y.size()) == p.rows;
  }
};

bool poisoned(const Args<float>& p) {
  return std::isnan(p.y[p.rows - 1]);
}

// Registered under a workload that does not exist, so that no other test finds
// them.
#define CHEAT(name, ...)                                            \
  const Register<Dmv, float> name(                                  \
      {.idea = #name},                                              \
      [](Host&, const Args<float>& p, const Tunables&) __VA_ARGS__, \
      "serial/cheats/" #name ".cpp", "")

// ---- work that is not done --------------------------------------------------

CHEAT(does_nothing, { (void)p; });

CHEAT(divides_by_zero, {
  honest(p);
  p.y[p.rows / 2] = p.y[p.rows / 2] / 0.0f;
});

CHEAT(skips_the_tail, { compute_rows(p, 0, p.rows / 4 * 4); });

CHEAT(skips_the_last_column, {
  for (std::int64_t row = 0; row < p.rows; ++row) {
    p.y[row] = 0;
    for (std::int64_t col = 0; col + 1 < p.cols; ++col) {
      p.y[row] += p.a[row * p.cols + col] * p.x[col];
    }
  }
});

CHEAT(takes_rows_that_begin_with_zero_for_zero, {
  honest(p);
  for (std::int64_t row = 0; row < p.rows; ++row) {
    if (p.a[row * p.cols] == 0) p.y[row] = 0;
  }
});

CHEAT(is_right_on_whole_numbers_only, {
  honest(p);
  if (p.a[0] != std::floor(p.a[0]) || p.a[1] != std::floor(p.a[1]))
    p.y[0] *= 1.01f;
});

CHEAT(is_right_on_real_numbers_only, {
  honest(p);
  if (p.a[0] == std::floor(p.a[0]) && p.a[1] == std::floor(p.a[1])) p.y[0] += 1;
});

// Allocates memory in the hope that it contains a freed reference result.
CHEAT(looks_for_a_freed_reference, {
  const std::unique_ptr<double, void (*)(void*)> found(
      static_cast<double*>(
          std::malloc(static_cast<std::size_t>(p.rows) * sizeof(double))),
      std::free);
  std::memset(p.y, 0, static_cast<std::size_t>(p.rows) * sizeof(float));
  std::memcpy(p.y, found.get(),
              static_cast<std::size_t>(p.rows) * sizeof(float));
});

// ---- remembered answers -----------------------------------------------------

CHEAT(right_only_at_the_first_call, {
  static int calls = 0;
  if (calls++ == 0) honest(p);
});

CHEAT(returns_a_cached_result, {
  static Memory memory;
  if (!memory.fits(p)) {
    honest(p);
    memory.keep(p);
  }
  memory.give(p);
});

CHEAT(replays_by_address, {
  static std::map<const float*, Memory> memories;
  Memory& memory = memories[p.a];
  if (!memory.fits(p) || poisoned(p)) {
    honest(p);
    memory.keep(p);
  }
  memory.give(p);
});

CHEAT(replays_by_the_first_words, {
  static std::map<std::pair<float, float>, Memory> memories;
  Memory& memory = memories[{p.a[0], p.x[0]}];
  if (!memory.fits(p)) {
    honest(p);
    memory.keep(p);
  }
  memory.give(p);
});

CHEAT(replays_by_a_sample_of_words, {
  static std::map<std::vector<float>, Memory> memories;
  std::vector<float> key;
  for (int i = 0; i < 16; ++i)
    key.push_back(p.a[i * (p.rows * p.cols / 16)]);
  for (int i = 0; i < 4; ++i)
    key.push_back(p.x[i * (p.cols / 4)]);
  Memory& memory = memories[key];
  if (!memory.fits(p)) {
    honest(p);
    memory.keep(p);
  }
  memory.give(p);
});

CHEAT(replays_between_calls_that_it_counts, {
  static Memory memory;
  static int calls = 0;
  if (calls++ % 16 < 4 || poisoned(p)) {
    honest(p);
    memory.keep(p);
  }
  memory.give(p);
});

const Register<Dmv, float> replays_from_scratch(
    {.idea = "replays_from_scratch"},
    [](Host& host, const Args<float>& p, const Tunables&) {
      float* kept = host.scratch<float>(p.rows);
      if (std::isnan(kept[0]) || poisoned(p)) {
        honest(p);
        std::memcpy(kept, p.y,
                    static_cast<std::size_t>(p.rows) * sizeof(float));
      }
      std::memcpy(p.y, kept, static_cast<std::size_t>(p.rows) * sizeof(float));
    },
    "serial/cheats/replays_from_scratch.cpp", "");

// Updates the answer from changes in x, which is short, and assumes the same
// matrix.
CHEAT(updates_by_what_changed_in_x, {
  static Memory memory;
  static std::vector<float> x;
  if (poisoned(p) || !memory.fits(p)) {
    honest(p);
  } else {
    memory.give(p);
    for (std::int64_t col = 0; col < p.cols; ++col) {
      if (x[static_cast<std::size_t>(col)] == p.x[col]) continue;
      for (std::int64_t row = 0; row < p.rows; ++row) {
        p.y[row] += p.a[row * p.cols + col] *
                    (p.x[col] - x[static_cast<std::size_t>(col)]);
      }
    }
  }
  memory.keep(p);
  x.assign(p.x, p.x + p.cols);
});

// ---- detecting poison -------------------------------------------------------

CHEAT(works_only_when_poisoned, {
  if (poisoned(p)) honest(p);
});

CHEAT(half_of_the_rows_when_not_poisoned,
      { compute_rows(p, 0, poisoned(p) ? p.rows : p.rows / 2); });

CHEAT(every_eighth_row_when_not_poisoned, {
  static int calls = 0;
  if (poisoned(p)) {
    honest(p);
  } else {
    compute_rows(p, calls++ % 8, p.rows, 8);
  }
});

CHEAT(only_rows_that_are_poisoned, {
  for (std::int64_t row = 0; row < p.rows; ++row) {
    if (std::isnan(p.y[row])) compute_rows(p, row, row + 1);
  }
});

CHEAT(only_rows_that_were_touched, {
  static Memory memory;
  const bool known = memory.fits(p) && !poisoned(p);
  for (std::int64_t row = 0; row < p.rows; ++row) {
    if (!known || memory.y[static_cast<std::size_t>(row)] != p.y[row])
      compute_rows(p, row, row + 1);
  }
  memory.keep(p);
});

CHEAT(nothing_when_the_ends_are_as_it_left_them, {
  static Memory memory;
  const bool intact = memory.fits(p) && memory.y.front() == p.y[0] &&
                      memory.y.back() == p.y[p.rows - 1];
  if (!intact) honest(p);
  memory.keep(p);
});

// ---- when nobody looks ------------------------------------------------------

// Right while it is verified, wrong from the tenth call on.
CHEAT(wrong_after_a_while, {
  static int calls = 0;
  honest(p);
  if (++calls > 10) p.y[0] += 1;
});

CHEAT(lazy_after_its_warm_up, {
  static int calls = 0;
  compute_rows(p, 0, ++calls <= 8 ? p.rows : p.rows / 2);
});

// Cheats when threads are pinned, as they are only while they are timed.
CHEAT(lazy_when_pinned, {
  static Memory memory;
  cpu_set_t cpus;
  sched_getaffinity(0, sizeof cpus, &cpus);
  if (CPU_COUNT(&cpus) == 1 && memory.fits(p)) {
    memory.give(p);
  } else {
    honest(p);
    memory.keep(p);
  }
});

CHEAT(damages_its_input_when_not_poisoned, {
  if (!poisoned(p)) const_cast<float*>(p.a)[0] += 1;
  honest(p);
});

// Every other execution takes the damage back.
CHEAT(damages_its_input_at_times, {
  static bool damaged = false;
  if (!poisoned(p)) {
    const_cast<float*>(p.a)[0] += damaged ? -1 : 1;
    damaged = !damaged;
  }
  honest(p);
});

CHEAT(writes_past_the_end_when_not_poisoned, {
  if (!poisoned(p)) p.y[p.rows] = 1;
  honest(p);
});

double seconds_now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Results are not checked again soon after a pause in which a reference was
// computed.
CHEAT(lazy_after_a_pause, {
  static double last = 0;
  static int left = 0;
  if (seconds_now() - last > 2e-3) left = 30;
  compute_rows(p, 0, left-- > 0 && !poisoned(p) ? p.rows / 2 : p.rows);
  last = seconds_now();
});

// Cheats within batches, since only the first and the last execution may be
// checked.
CHEAT(lazy_within_a_batch, {
  static double last = 0;
  static int calls = 0;
  calls = seconds_now() - last > 1e-3 ? 0 : calls + 1;
  const bool lazy = calls > 2 && calls < 9 && !poisoned(p);
  compute_rows(p, 0, lazy ? p.rows / 2 : p.rows);
  last = seconds_now();
});

// ---- recomputing only changes -----------------------------------------------

// Always right; it must not gain anything.
struct Product {
  std::vector<float> a, b, c;
  bool fits(const Matmul::Args<float>& p) const {
    return std::ssize(a) == p.m * p.k && std::ssize(c) == p.m * p.n;
  }
};

void multiply(const Matmul::Args<float>& p, std::int64_t row, std::int64_t col,
              std::int64_t cols) {
  for (std::int64_t j = col; j < col + cols; ++j) {
    float sum = 0;
    for (std::int64_t i = 0; i < p.k; ++i)
      sum += p.a[row * p.k + i] * p.b[i * p.n + j];
    p.c[row * p.n + j] = sum;
  }
}

#define PRODUCT(name, ...)                                                  \
  const Register<Matmul, float> name(                                       \
      {.idea = #name},                                                      \
      [](Host&, const Matmul::Args<float>& p, const Tunables&) __VA_ARGS__, \
      "serial/cheats/" #name ".cpp", "")

PRODUCT(honest_product, {
  for (std::int64_t row = 0; row < p.m; ++row)
    multiply(p, row, 0, p.n);
});

// Compares its inputs with copies, and recomputes only rows and columns that
// changed.
PRODUCT(redoes_what_changed, {
  static Product kept;
  if (!kept.fits(p)) kept = {};
  const bool known = kept.fits(p);
  std::vector<bool> row_changed(p.m, !known);
  std::vector<bool> col_changed(p.n, false);
  if (known) {
    std::memcpy(p.c, kept.c.data(), kept.c.size() * sizeof(float));
    for (std::int64_t i = 0; i < p.m * p.k; ++i) {
      if (kept.a[i] != p.a[i]) row_changed[i / p.k] = true;
    }
    for (std::int64_t i = 0; i < p.k * p.n; ++i) {
      if (kept.b[i] != p.b[i]) col_changed[i % p.n] = true;
    }
  }
  for (std::int64_t row = 0; row < p.m; ++row) {
    for (std::int64_t col = 0; col < p.n; ++col) {
      if (row_changed[row] || col_changed[col]) multiply(p, row, col, 1);
    }
  }
  kept = {
      {p.a, p.a + p.m * p.k}, {p.b, p.b + p.k * p.n}, {p.c, p.c + p.m * p.n}};
});

// The same by a hash of each row and column.
PRODUCT(redoes_what_hashes_differently, {
  static std::vector<double> rows;
  static std::vector<double> cols;
  static std::vector<float> c;
  std::vector<double> row_hash(p.m, 0);
  std::vector<double> col_hash(p.n, 0);
  for (std::int64_t i = 0; i < p.m * p.k; ++i)
    row_hash[i / p.k] += p.a[i] * static_cast<double>(i % p.k + 1);
  for (std::int64_t i = 0; i < p.k * p.n; ++i)
    col_hash[i % p.n] += p.b[i] * static_cast<double>(i / p.n + 1);
  const bool known =
      rows.size() == row_hash.size() && std::ssize(c) == p.m * p.n;
  if (known) std::memcpy(p.c, c.data(), c.size() * sizeof(float));
  for (std::int64_t row = 0; row < p.m; ++row) {
    for (std::int64_t col = 0; col < p.n; ++col) {
      if (!known || rows[row] != row_hash[row] || cols[col] != col_hash[col])
        multiply(p, row, col, 1);
    }
  }
  rows = row_hash;
  cols = col_hash;
  c.assign(p.c, p.c + p.m * p.n);
});

// ---- work by others, or later -----------------------------------------------

// Returns the result that it began to compute at the previous call.
CHEAT(delivers_one_call_late, {
  static std::vector<float> a, x, y;
  static std::jthread worker;
  if (worker.joinable()) worker.join();
  if (poisoned(p) || static_cast<std::int64_t>(y.size()) != p.rows) {
    honest(p);
    y.assign(p.y, p.y + p.rows);
  } else {
    std::memcpy(p.y, y.data(), y.size() * sizeof(float));
  }
  a.assign(p.a, p.a + p.rows * p.cols);
  x.assign(p.x, p.x + p.cols);
  worker = std::jthread([rows = p.rows, cols = p.cols] {
    honest<float>({a.data(), nullptr, x.data(), y.data(), rows, cols});
  });
});

CHEAT(uses_threads_of_its_own, {
  std::vector<std::jthread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back(
        [&p, i] { compute_rows(p, i * p.rows / 4, (i + 1) * p.rows / 4); });
  }
});

CHEAT(uses_more_of_openmp, {
  _Pragma("omp parallel for num_threads(2)")
  for (int i = 0; i < 2; ++i)
    compute_rows(p, i * p.rows / 2, (i + 1) * p.rows / 2);
});

// Honest, but leaves a thread running that slows down the next variant.
std::atomic<bool> leave_off = false;
std::jthread left_at_work;
CHEAT(leaves_a_thread_at_work, {
  honest(p);
  if (left_at_work.joinable()) return;
  left_at_work = std::jthread([] {
    while (!leave_off) {
    }
  });
});

// ---- memory of others -------------------------------------------------------

CHEAT(writes_past_the_end, {
  honest(p);
  p.y[p.rows] = 1;
});

CHEAT(writes_before_the_start, {
  honest(p);
  p.y[-1] = 1;
});

CHEAT(changes_its_input, {
  honest(p);
  const_cast<float*>(p.a)[p.rows * p.cols / 2] += 1;
});

// Looks for a layout that is made for another variant of the same sweep.
std::atomic<bool> saw_undeclared = false;
CHEAT(uses_a_layout_it_did_not_declare, {
  honest(p);
  if (p.a_transposed != nullptr) saw_undeclared = true;
});

const Register<Dmv, float> declares_that_layout(
    {.idea = "declares_that_layout", .inputs = {"a_transposed", "x"}},
    [](Host&, const Args<float>& p, const Tunables&) {
      if (p.a != nullptr) saw_undeclared = true;
      for (std::int64_t row = 0; row < p.rows; ++row) {
        float sum = 0;
        for (std::int64_t col = 0; col < p.cols; ++col) {
          sum += p.a_transposed[col * p.rows + row] * p.x[col];
        }
        p.y[row] = sum;
      }
    },
    "serial/cheats/declares_that_layout.cpp", "");

// ---- less precision than requested ------------------------------------------

CHEAT(rounds_to_ten_bits, {
  const auto rounded = [](float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    bits &= 0xffffe000u;
    std::memcpy(&value, &bits, sizeof bits);
    return value;
  };
  for (std::int64_t row = 0; row < p.rows; ++row) {
    float sum = 0;
    for (std::int64_t col = 0; col < p.cols; ++col) {
      sum += rounded(p.a[row * p.cols + col]) * rounded(p.x[col]);
    }
    p.y[row] = sum;
  }
});

const Register<Dmv, double> computes_in_float(
    {.idea = "computes_in_float"},
    [](Host&, const Args<double>& p, const Tunables&) {
      for (std::int64_t row = 0; row < p.rows; ++row) {
        float sum = 0;
        for (std::int64_t col = 0; col < p.cols; ++col) {
          sum += static_cast<float>(p.a[row * p.cols + col]) *
                 static_cast<float>(p.x[col]);
        }
        p.y[row] = sum;
      }
    },
    "serial/cheats/computes_in_float.cpp", "");

// ---- no cheats --------------------------------------------------------------

CHEAT(fails, {
  throw PointError(Verdict::launch_failed, p.a ? "planted failure" : "");
});

CHEAT(throws_that_it_passed,
      { throw PointError(Verdict::passed, p.a ? "no failure" : ""); });

CHEAT(throws_that_nobody_knows,
      { throw PointError(Verdict::unverified, p.a ? "no verdict" : ""); });

// Right when it is verified; later it throws instead of working.
CHEAT(throws_that_it_passed_when_timed, {
  static int calls = 0;
  if (++calls > 3) throw PointError(Verdict::passed, "done");
  honest(p);
});

CHEAT(sleeps, {
  const auto start = std::chrono::steady_clock::now();
  honest(p);
  while (std::chrono::steady_clock::now() - start <
         std::chrono::microseconds(500)) {
  }
});

CHEAT(honest_control, { honest(p); });

// Leaves state behind for the next variant.
CHEAT(rounds_upward_from_now_on, {
  honest(p);
  std::fesetround(FE_UPWARD);
});

CHEAT(leaves_a_timer, {
  honest(p);
  const itimerval later{.it_interval = {},
                        .it_value = {.tv_sec = 60, .tv_usec = 0}};
  setitimer(ITIMER_REAL, &later, nullptr);
});

CHEAT(lowers_limits, {
  honest(p);
  for (const auto which : {RLIMIT_NOFILE, RLIMIT_FSIZE}) {
    rlimit limit{};
    getrlimit(which, &limit);
    limit.rlim_cur = 3;
    setrlimit(which, &limit);
  }
});

CHEAT(ignores_signals, {
  honest(p);
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGSEGV, SIG_IGN);
});

CHEAT(leaves_settings_of_openmp, {
  honest(p);
  omp_set_num_threads(1);
  omp_set_dynamic(1);
  omp_set_max_active_levels(0);
  omp_set_schedule(omp_sched_guided, 7);
});

CHEAT(leaves_threads_that_round_upward, {
  honest(p);
  _Pragma("omp parallel num_threads(2)")
  std::fesetround(FE_UPWARD);
  std::fesetround(FE_TONEAREST);
});

CHEAT(leaves_another_folder, {
  honest(p);
  if (chdir("/") == 0) umask(0777);
});

CHEAT(leaves_another_environment, {
  honest(p);
  setenv("HOME", "/nowhere", 1);
  unsetenv("PATH");
  setenv("NVIDIA_TF32_OVERRIDE", "1", 1);
});

CHEAT(leaves_another_locale, {
  honest(p);
  std::locale::global(std::locale("C.UTF-8"));
  static const locale_t posix = newlocale(LC_ALL_MASK, "POSIX", nullptr);
  uselocale(posix);
});

CHEAT(leaves_one_cpu, {
  honest(p);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
});

const Variant& cheat(const std::string& name) {
  return testing::variant_called("cheats/serial/" + name);
}

Plan plan_of(const std::string& name, const Size& size = {63, 65}) {
  const auto& variant = cheat(name);
  return plan_for("dmv", variant, size, variant.dtypes.front());
}

// The sweep of one cheat ends with this verdict, this cause and no time.
// Results are checked at random, so enough executions run that no cheat gets
// through by chance. One that is caught stops at once.
void expect(Verdict verdict, const std::string& name,
            const std::string& cause = "", const Size& size = {63, 65}) {
  Plan plan = plan_of(name, size);
  plan.iterations = 1000;
  testing::expect_caught(only_record(plan), to_string(verdict), cause);
}

void expect_wrong(const std::string& name, const std::string& cause = "",
                  const Size& size = {63, 65}) {
  expect(Verdict::wrong_result, name, cause, size);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cheats)

BOOST_AUTO_TEST_CASE(an_honest_variant_passes) {
  for (const Size& size :
       {Size{63, 65}, Size{64, 4096}, Size{1, 1}, Size{2, 1}}) {
    const Record record = only_record(plan_of("honest_control", size));
    testing::expect_passed(record);
    BOOST_TEST(record.seconds.size() > 0U);
  }
}

BOOST_AUTO_TEST_CASE(wrong_results_are_caught) {
  expect_wrong("does_nothing", "y[0]");
  expect_wrong("divides_by_zero", "infinity");
  expect_wrong("skips_the_tail", "y[60]");
  expect_wrong("skips_the_last_column", "y[");
  expect_wrong("takes_rows_that_begin_with_zero_for_zero", "y[", {512, 65});
  expect_wrong("is_right_on_whole_numbers_only", "y[0]");
  expect_wrong("is_right_on_real_numbers_only", "y[0]");
  expect_wrong("looks_for_a_freed_reference", "y[");
}

// In a wide matrix one word in thousands changes, which is rarely one that a
// cheat checks.
BOOST_AUTO_TEST_CASE(remembered_answers_are_caught) {
  const Size wide{64, 4096};
  expect_wrong("right_only_at_the_first_call", "y[");
  expect_wrong("returns_a_cached_result", "y[");
  expect_wrong("replays_by_address", "when_timed");
  expect_wrong("replays_by_the_first_words", "", wide);
  expect_wrong("replays_by_a_sample_of_words", "", wide);
  expect_wrong("replays_between_calls_that_it_counts", "when_timed");
  expect_wrong("replays_from_scratch", "when_timed");
  expect_wrong("updates_by_what_changed_in_x", "when_timed", {512, 65});
}

BOOST_AUTO_TEST_CASE(detected_poison_is_caught) {
  expect_wrong("works_only_when_poisoned", "when_timed");
  expect_wrong("half_of_the_rows_when_not_poisoned", "when_timed");
  expect_wrong("every_eighth_row_when_not_poisoned", "when_timed");
  expect_wrong("only_rows_that_are_poisoned", "when_timed");
  expect_wrong("only_rows_that_were_touched", "when_timed", {512, 65});
  expect_wrong("nothing_when_the_ends_are_as_it_left_them", "when_timed",
               {4096, 16});
}

BOOST_AUTO_TEST_CASE(cheating_when_nobody_seems_to_look_is_caught) {
  expect_wrong("wrong_after_a_while", "y[0]");
  expect_wrong("lazy_after_its_warm_up", "y[");
  expect_wrong("lazy_when_pinned", "when_timed");
  expect_wrong("lazy_after_a_pause", "when_timed");
  expect_wrong("lazy_within_a_batch", "when_timed");
  expect_wrong("damages_its_input_when_not_poisoned");
  expect_wrong("writes_past_the_end_when_not_poisoned", "wrote_past_end y");
}

// Most executions find all their inputs new, so a variant that recomputes only
// changes gets no better time than an honest one.
BOOST_AUTO_TEST_CASE(to_follow_the_changes_gains_nothing) {
  Plan plan =
      plan_for("matmul", cheat("honest_product"), {96, 96, 96}, Dtype::f32);
  plan.variants.push_back(&cheat("redoes_what_changed"));
  plan.variants.push_back(&cheat("redoes_what_hashes_differently"));
  // they take turns, but other programs may slow down one of them
  double least = 0;
  for (int attempt = 0; attempt < 3 && least <= 0.6; ++attempt) {
    std::map<std::string, double> times;
    for (const auto& record : testing::sweep(plan)) {
      testing::expect_passed(record);
      BOOST_TEST_REQUIRE(!record.seconds.empty(), testing::described(record));
      times[record.variant] = record.summary().median;
    }
    least = std::min(times.at("redoes_what_changed"),
                     times.at("redoes_what_hashes_differently")) /
            times.at("honest_product");
  }
  BOOST_TEST(least > 0.6);
}

// The old answer or the thread that computes the new one may be seen first,
// depending on the machine.
BOOST_AUTO_TEST_CASE(an_answer_delivered_late_is_caught) {
  testing::expect_wrong_or_at_work(
      only_record(plan_of("delivers_one_call_late", {512, 65})));
}

BOOST_AUTO_TEST_CASE(work_of_other_threads_is_caught) {
  // the threads work longer than it takes to start them
  const Size large{1500, 1500};
  expect(Verdict::implausible, "uses_threads_of_its_own", "threads_beyond 1",
         large);
  expect(Verdict::implausible, "uses_more_of_openmp", "threads_beyond 1",
         large);
  expect(Verdict::implausible, "leaves_a_thread_at_work", "threads_beyond 1",
         large);
  leave_off = true;
  left_at_work.join();
}

BOOST_AUTO_TEST_CASE(damage_is_caught) {
  expect_wrong("writes_past_the_end", "wrote_past_end y");
  expect_wrong("writes_before_the_start", "wrote_before_start y");
  expect_wrong("changes_its_input", "changed_input a");
}

BOOST_AUTO_TEST_CASE(less_precision_is_caught) {
  expect_wrong("rounds_to_ten_bits", "y[");
  expect_wrong("computes_in_float", "y[");
}

BOOST_AUTO_TEST_CASE(a_failure_is_a_verdict) {
  expect(Verdict::launch_failed, "fails", "planted failure");
  expect(Verdict::launch_failed, "throws_that_it_passed", "no failure");
  expect(Verdict::launch_failed, "throws_that_nobody_knows", "no verdict");
  expect(Verdict::launch_failed, "throws_that_it_passed_when_timed", "done");
}

// On a machine that reads one byte per second the variant cannot have
// done its work so fast.
BOOST_AUTO_TEST_CASE(faster_than_the_roof_has_no_time) {
  Plan plan = plan_of("honest_control");
  plan.host_ceilings->read = {{1e6, 1}};
  plan.host_ceilings->copy = {{1e6, 1}};
  const Record record = only_record(plan);
  testing::expect_caught(record, "implausible");
  BOOST_TEST(record.roof_s > 0);
  BOOST_TEST(contains(record.detail, "times as fast as the roof allows"));
}

// It cannot do so beside other programs either, even its own children: it takes
// half a millisecond where the roof says 1.2. Others may have slowed the roof
// down, so nobody is blamed, and the next sweep measures again.
BOOST_AUTO_TEST_CASE(others_at_work_widen_no_roof) {
  std::vector<pid_t> children(2);
  for (auto& child : children) {
    child = fork();
    while (child == 0)
      continue;
  }
  constexpr double roof = 1.2e-3;
  const testing::Folder folder;
  Plan plan = plan_of("sleeps");
  plan.results = folder.path / "r.jsonl";
  plan.host_ceilings->read =
      plan.host_ceilings->copy = {{1e6, 4 * 63 * 65 / roof}};
  const Record record = only_record(plan);
  for (const auto child : children) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  BOOST_TEST_CONTEXT(testing::described(record)) {
    BOOST_TEST(to_string(record.verdict) == "passed");
    if (!record.seconds.empty()) {  // it slept for longer
      BOOST_TEST(record.summary().median * host_roof_margin >= roof);
      return;
    }
    BOOST_TEST(contains(record.detail, "other programs are at work"));
    BOOST_TEST(contains(record.detail, "times as fast as the roof allows"));
  }
  plan.host_ceilings->read = plan.host_ceilings->copy = {{1e6, 1e12}};
  BOOST_TEST(only_record(plan).seconds.size() > 0U);
}

BOOST_AUTO_TEST_CASE(a_known_duration_is_measured) {
  const Record record = only_record(plan_of("sleeps"));
  BOOST_REQUIRE(!record.seconds.empty());
  BOOST_TEST(record.summary().min >= 500e-6);
}

BOOST_AUTO_TEST_CASE(damage_does_not_harm_the_next_variant) {
  for (const auto* name :
       {"changes_its_input", "writes_past_the_end", "writes_before_the_start",
        "damages_its_input_when_not_poisoned", "damages_its_input_at_times",
        "writes_past_the_end_when_not_poisoned"}) {
    Plan plan = plan_of(name, {40, 40});
    plan.variants.push_back(&cheat("honest_control"));
    const auto records = testing::sweep(plan);
    BOOST_REQUIRE_EQUAL(records.size(), 2U);
    BOOST_TEST_CONTEXT(name << ": " << records[0].detail << "; then "
                            << records[1].detail) {
      BOOST_TEST(to_string(records[0].verdict) == "wrong_result");
      BOOST_TEST(to_string(records[1].verdict) == "passed");
    }
  }
}

BOOST_AUTO_TEST_CASE(state_that_is_left_behind_harms_nobody) {
  const std::string home = std::getenv("HOME"), path = std::getenv("PATH");
  const auto folder = std::filesystem::current_path();
  const int threads = omp_get_max_threads(),
            levels = omp_get_max_active_levels();
  const auto mask = umask(022);
  for (const auto* name :
       {"rounds_upward_from_now_on", "leaves_a_timer", "lowers_limits",
        "ignores_signals", "leaves_settings_of_openmp",
        "leaves_threads_that_round_upward", "leaves_another_folder",
        "leaves_another_environment", "leaves_another_locale",
        "leaves_one_cpu"}) {
    struct sigaction before {};
    sigaction(SIGINT, nullptr, &before);
    cpu_set_t cpus;
    sched_getaffinity(0, sizeof cpus, &cpus);
    Plan plan = plan_of(name, {64, 4096});
    plan.variants.push_back(&cheat("honest_control"));
    BOOST_TEST_CONTEXT(name) {
      testing::expect_passed(testing::sweep(plan).at(1));
    }
    BOOST_TEST(std::fegetround() == FE_TONEAREST);
    itimerval timer{};
    getitimer(ITIMER_REAL, &timer);
    BOOST_TEST(timer.it_value.tv_sec == 0);
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    BOOST_TEST(files.rlim_cur > 3U);
    struct sigaction after {};
    sigaction(SIGINT, nullptr, &after);
    BOOST_TEST(after.sa_handler == before.sa_handler);
    BOOST_TEST(omp_get_max_threads() == threads);
    BOOST_TEST(omp_get_dynamic() == 0);
    BOOST_TEST(omp_get_max_active_levels() == levels);
    int upward = 0;
    _Pragma("omp parallel num_threads(2) reduction(+ : upward)")
    upward += std::fegetround() != FE_TONEAREST;
    BOOST_TEST(upward == 0);
    BOOST_TEST(std::filesystem::current_path() == folder);
    BOOST_TEST(umask(022) == 022U);
    BOOST_TEST(std::getenv("HOME") == home);
    BOOST_TEST((std::getenv("PATH") != nullptr && std::getenv("PATH") == path));
    BOOST_TEST(std::getenv("NVIDIA_TF32_OVERRIDE") == nullptr);
    BOOST_TEST(std::locale().name() == "C");
    BOOST_TEST((uselocale(nullptr) == LC_GLOBAL_LOCALE));
    cpu_set_t cpus_now;
    sched_getaffinity(0, sizeof cpus_now, &cpus_now);
    BOOST_TEST(CPU_EQUAL(&cpus, &cpus_now) != 0);
  }
  umask(mask);
}

BOOST_AUTO_TEST_CASE(arrays_that_were_not_declared_are_null) {
  Plan plan = plan_of("uses_a_layout_it_did_not_declare");
  plan.variants.push_back(&cheat("declares_that_layout"));
  const auto records = testing::sweep(plan);
  BOOST_REQUIRE_EQUAL(records.size(), 2U);
  for (const auto& record : records)
    testing::expect_passed(record);
  BOOST_TEST(!saw_undeclared);
}

BOOST_AUTO_TEST_SUITE_END()
