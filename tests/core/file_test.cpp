// Files are written completely or not at all, and replace regular files only.
#include "core/file.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "core/types.hpp"
#include "folder.hpp"
#include "text.hpp"

namespace fs = std::filesystem;
using namespace parlab;
using testing::contains;
using testing::content;
using testing::message_of;

namespace {

struct Folder : testing::Folder {
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
};

// Holds a regular file, a link to it and a pipe.
struct FolderOfAllKinds : Folder {
  FolderOfAllKinds() {
    write_file(kept, "kept");
    fs::create_symlink(kept, link);
    BOOST_REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  }
  fs::path kept = path / "kept", link = path / "link", pipe = path / "pipe";
};

// While it lives, no file may grow beyond `bytes`, as on a full disk.
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

BOOST_AUTO_TEST_CASE(a_file_is_created_with_its_folder_or_replaced) {
  const Folder folder;
  const auto path = folder.path / "a" / "page.html";
  write_file(path, "one");
  BOOST_TEST(content(path) == "one");
  write_file(path, "two");
  BOOST_TEST(content(path) == "two");
  BOOST_TEST(std::distance(fs::directory_iterator(path.parent_path()), {}) ==
             1);
}

BOOST_AUTO_TEST_CASE(one_folder_is_made_and_none_above_it) {
  const Folder folder;
  for (const auto& path :
       {folder.path / "a" / "b" / "page.html", folder.path / "a/b/c/r.jsonl"}) {
    BOOST_CHECK_THROW(write_file(path, "text"), UsageError);
    BOOST_CHECK_THROW(append_line(path, "line"), UsageError);
  }
  BOOST_TEST(folder.files() == 0u);
  make_folder(folder.path / "a" / "");
  BOOST_CHECK_NO_THROW(append_line(folder.path / "a/b/r.jsonl", "line"));
}

BOOST_AUTO_TEST_CASE(
    on_a_full_disk_the_old_file_stays_and_nothing_else_is_left) {
  const Folder folder;
  const auto path = folder.path / "page.html";
  write_file(path, "old");
  {
    const FullDisk full(4096);
    const auto message = message_of<std::runtime_error>(
        [&] { write_file(path, std::string(100000, 'x')); });
    BOOST_TEST(contains(message, path.string()));
  }
  BOOST_TEST(content(path) == "old");
  BOOST_TEST(folder.files() == 1u);
}

BOOST_AUTO_TEST_CASE(a_writer_that_throws_leaves_nothing) {
  const Folder folder;
  const auto path = folder.path / "x.db";
  const auto fails = [](const fs::path& part) {
    std::ofstream(part) << "half";
    throw std::runtime_error("no more");
  };
  BOOST_CHECK_THROW(write_beside(path, fails), std::runtime_error);
  BOOST_TEST(folder.files() == 0u);
}

BOOST_AUTO_TEST_CASE(devices_links_pipes_and_folders_are_not_replaced) {
  const FolderOfAllKinds folder;
  const auto &kept = folder.kept, &link = folder.link, &pipe = folder.pipe;
  for (const auto& path : {fs::path("/dev/null"), link, pipe, folder.path}) {
    BOOST_CHECK_THROW(write_file(path, "new"), UsageError);
  }
  BOOST_TEST(fs::is_symlink(link));
  BOOST_TEST(content(kept) == "kept");
  BOOST_TEST(fs::is_character_file("/dev/null"));
  BOOST_TEST(folder.files() == 3u);
}

BOOST_AUTO_TEST_CASE(devices_pipes_and_folders_are_not_appended_to) {
  const FolderOfAllKinds folder;
  const auto &kept = folder.kept, &link = folder.link, &pipe = folder.pipe;
  BOOST_CHECK_NO_THROW(require_regular(kept, "--results"));
  // appended to, not replaced
  BOOST_CHECK_NO_THROW(require_regular(link, "--results"));
  BOOST_CHECK_NO_THROW(require_regular(folder.path / "new", "--results"));
  for (const auto& path : {fs::path("/dev/zero"), pipe, folder.path}) {
    const auto message =
        message_of<UsageError>([&] { require_regular(path, "--results"); });
    BOOST_TEST(message.starts_with("--results " + path.string() + ": is a"),
               message);
  }
}

BOOST_AUTO_TEST_SUITE_END()
