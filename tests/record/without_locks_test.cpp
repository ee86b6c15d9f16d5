// On a file system without locks, such as clusters may share, the lines that
// several processes append to one file stay whole.
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <functional>

#include "folder.hpp"
#include "record/store.hpp"
#include "records.hpp"

namespace {

bool no_locks = false;

}  // namespace

// Replaces the C library's in the whole test program.
extern "C" int flock(int file, int operation) noexcept {
  if (!no_locks) return static_cast<int>(syscall(SYS_flock, file, operation));
  errno = ENOLCK;
  return -1;
}

namespace {

using namespace parlab;
namespace fs = std::filesystem;

struct WithoutLocks {
  WithoutLocks() { no_locks = true; }
  ~WithoutLocks() { no_locks = false; }

  testing::Folder folder;
  fs::path path = folder.path / "x.jsonl";
};

Run a_run(const std::string& id) {
  Run run;
  run.id = id;
  run.machine = "node";
  return run;
}

// Long enough to be torn if a write is not a single call.
Record a_record(const std::string& run, std::int64_t n) {
  auto record = testing::record_of("dmv/serial/plain", {n, n});
  record.seconds.assign(2000, 1.2345678e-3);
  record.run = run;
  return record;
}

pid_t in_child(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child != 0) return child;
  try {
    work();
    _exit(0);
  } catch (...) {
    _exit(1);
  }
}

bool ended_well(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(without_locks)

BOOST_AUTO_TEST_CASE(lines_of_several_writers_stay_whole) {
  const WithoutLocks file;
  constexpr int writers = 4, records = 50;
  std::vector<pid_t> children;
  for (int writer = 0; writer < writers; ++writer) {
    children.push_back(in_child([&] {
      const auto id = "run-" + std::to_string(writer);
      Store store(file.path, a_run(id));
      for (int i = 1; i <= records; ++i)
        store.append(a_record(id, 1000 * writer + i));
    }));
  }
  for (const auto child : children)
    BOOST_TEST(ended_well(child));
  const auto loaded = load_records(file.path);
  BOOST_TEST(loaded.warnings.size() == 0u);
  BOOST_TEST(loaded.records.size() ==
             static_cast<std::size_t>(writers * records));
  BOOST_TEST(loaded.runs.size() == static_cast<std::size_t>(writers));
}

// The disk is full for one of two writers: it takes back its own half line and
// nothing else.
BOOST_AUTO_TEST_CASE(a_full_disk_costs_the_other_writer_nothing) {
  const WithoutLocks file;
  Store first(file.path, a_run("a")), second(file.path, a_run("b"));
  first.append(a_record("a", 1));
  second.append(a_record("b", 2));
  const auto before = fs::file_size(file.path);
  const pid_t child = in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{before + 50, before + 50};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return;
    first.append(a_record("a", 3));
  });
  BOOST_TEST(!ended_well(child));
  BOOST_TEST(fs::file_size(file.path) == before);
  second.append(a_record("b", 4));
  const auto loaded = load_records(file.path);
  BOOST_TEST(loaded.warnings.size() == 0u);
  BOOST_TEST(loaded.records.size() == 3u);
}

BOOST_AUTO_TEST_SUITE_END()
