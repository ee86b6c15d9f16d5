// Operations allowed to a graded process because CUDA's driver needs them, and
// the limits on their use.
#include "grade/sandbox.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdlib>

#include <unistd.h>

#include "again.hpp"
#include "folder.hpp"
#include "text.hpp"

namespace {

using namespace parlab;
using namespace parlab::grade;
using namespace parlab::testing;

// Its exit status tells which operation differs from the driver's needs.
constexpr const char* program_text = R"(
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
const size_t MB = 1 << 20;
void* shared(size_t bytes) {
  return mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}
int absent(int status) { return status == -1 && errno == ENOENT; }
int main(int, char** words) {
  if (!strcmp(words[1], "as_the_driver")) {
    sockaddr_un server{AF_UNIX, "/tmp/a-server"};
    const int from = socket(AF_UNIX, SOCK_STREAM, 0);
    if (!absent(connect(from, (sockaddr*)&server, sizeof server))) return 1;
    if (!absent(unlink(""))) return 2;
    if (!absent(symlink("to", "/tmp/a-link-of-a-test"))) return 3;
    for (int i = 0; i < 8; ++i)
      if (shared(2 * MB) == MAP_FAILED) return 4;
    usleep(300000);
    return 0;
  }
  if (!strcmp(words[1], "large_map")) return shared(17 * MB) != MAP_FAILED;
  // Their pages stay as long as one of them is mapped.
  for (int i = 0; i < 100; ++i) {
    char* const at = (char*)shared(16 * MB);
    memset(at, 1, 16 * MB);
    munmap(at + 4096, 16 * MB - 4096);
  }
  sleep(60);
}
)";

struct Built : Folder {
  Built() {
    write("program.cpp", program_text);
    const auto command = "g++ -o " + (path / "program").string() + " " +
                         (path / "program.cpp").string();
    BOOST_REQUIRE(std::system(command.c_str()) == 0);
    std::filesystem::permissions(path, std::filesystem::perms{0755});
  }
  Detail run(const std::string& what, bool uses_gpu = true,
             double memory_bytes = 512e6) const {
    auto readable = system_folders();
    readable.push_back(path.string());
    Process process({(path / "program").string(), what},
                    {.readable = readable,
                     .user = unused_user(),
                     .memory_bytes = memory_bytes,
                     .file_bytes = std::uint64_t{64} << 20,
                     .uses_gpu = uses_gpu});
    return process.wait(30);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(sandbox, Built)

BOOST_AUTO_TEST_CASE(the_driver_finds_nobody_and_has_its_shared_memory) {
  BOOST_TEST(words(run("as_the_driver")) == "");
}

BOOST_AUTO_TEST_CASE(what_the_driver_may_is_for_the_gpu_alone) {
  BOOST_TEST(contains(run("as_the_driver", false), "Bad system call"));
}

BOOST_AUTO_TEST_CASE(a_large_shared_map_is_refused) {
  BOOST_TEST(contains(run("large_map"), "Bad system call"));
}

BOOST_AUTO_TEST_CASE(memory_of_the_grader_is_not_the_programs) {
  const std::vector<char> large(std::size_t{64} << 20, 1);
  BOOST_TEST(contains(run("large_map", true, 48e6), "Bad system call"));
}

bool counts_memory() {
  try {
    require_sight_of_memory();
  } catch (const UsageError& error) {
    BOOST_TEST(contains(error.what(), "--cap-add SYS_PTRACE"));
    return false;
  }
  return true;
}

BOOST_AUTO_TEST_CASE(shared_maps_count_after_parts_of_them_are_gone) {
  if (counts_memory()) BOOST_TEST(contains(run("hoard"), "MiB of memory"));
}

BOOST_AUTO_TEST_CASE(root_that_cannot_count_memory_does_not_grade) {
  if (std::getenv(for_worker) != nullptr) std::exit(counts_memory() ? 3 : 4);
  const bool is_root = geteuid() == 0;
  if (!is_root) BOOST_TEST(counts_memory());
  BOOST_TEST(run_again("sandbox/root_that_cannot_count_memory_does_not_grade",
                       "",
                       is_root ? "setpriv --bounding-set=-sys_ptrace" : "") ==
             (is_root ? 4 : 3));
}

BOOST_AUTO_TEST_SUITE_END()
