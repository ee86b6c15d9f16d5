// Files: written as a whole or not at all, and only over what is a file.
#include "core/file.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <sstream>

#include "core/types.hpp"
#include "folder.hpp"

namespace fs = std::filesystem;
using namespace parlab;

namespace {

struct Folder : testing::Folder {
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
};

std::string content(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// No file may grow beyond that, as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    handler_ = signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(files)

BOOST_AUTO_TEST_CASE(a_file_is_new_or_replaced_and_its_folder_made) {
  const Folder folder;
  const auto path = folder.path / "a" / "b" / "page.html";
  write_file(path, "one");
  BOOST_TEST(content(path) == "one");
  write_file(path, "two");
  BOOST_TEST(content(path) == "two");
  BOOST_TEST(std::distance(fs::directory_iterator(path.parent_path()), {}) == 1);
}

BOOST_AUTO_TEST_CASE(without_room_the_old_file_stays_and_nothing_is_left) {
  const Folder folder;
  const auto path = folder.path / "page.html";
  write_file(path, "old");
  {
    const FullDisk full(4096);
    BOOST_CHECK_EXCEPTION(
        write_file(path, std::string(100000, 'x')), std::runtime_error, [&](const auto& error) {
          return std::string(error.what()).find(path.string()) != std::string::npos;
        });
  }
  BOOST_TEST(content(path) == "old");
  BOOST_TEST(folder.files() == 1u);
}

BOOST_AUTO_TEST_CASE(what_fails_while_it_is_written_leaves_nothing) {
  const Folder folder;
  const auto path = folder.path / "x.db";
  BOOST_CHECK_THROW(write_beside(path,
                                 [](const fs::path& part) {
                                   std::ofstream(part) << "half";
                                   throw std::runtime_error("no more");
                                 }),
                    std::runtime_error);
  BOOST_TEST(folder.files() == 0u);
}

BOOST_AUTO_TEST_CASE(devices_links_pipes_and_folders_are_refused) {
  const Folder folder;
  const auto kept = folder.path / "kept", link = folder.path / "link", pipe = folder.path / "pipe";
  write_file(kept, "kept");
  fs::create_symlink(kept, link);
  BOOST_REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  for (const auto& path : {fs::path("/dev/null"), link, pipe, folder.path}) {
    BOOST_CHECK_THROW(write_file(path, "new"), UsageError);
  }
  BOOST_TEST(fs::is_symlink(link));
  BOOST_TEST(content(kept) == "kept");
  BOOST_TEST(fs::is_character_file("/dev/null"));
  BOOST_TEST(folder.files() == 3u);

  BOOST_CHECK_NO_THROW(require_regular(kept, "--results"));
  BOOST_CHECK_NO_THROW(require_regular(link, "--results"));  // appended to, not replaced
  BOOST_CHECK_NO_THROW(require_regular(folder.path / "new", "--results"));
  for (const auto& path : {fs::path("/dev/zero"), pipe, folder.path}) {
    BOOST_CHECK_EXCEPTION(require_regular(path, "--results"), UsageError, [&](const auto& error) {
      return std::string(error.what()).starts_with("--results " + path.string() + ": is a");
    });
  }
}

BOOST_AUTO_TEST_SUITE_END()
