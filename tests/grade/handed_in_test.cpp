// A class's files as systems, editors and course platforms leave them.
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <set>

#include "core/name.hpp"
#include "core/types.hpp"
#include "folder.hpp"
#include "grade/submission.hpp"
#include "text.hpp"

namespace {

using namespace parlab;
using namespace parlab::grade;
using parlab::testing::Folder;
using parlab::testing::has;

struct Handed : Folder {
  void add(const std::string& name, const std::string& text = "int a;\n") {
    write(name, text);
  }
  const std::vector<Submission>& find() {
    passed = {};
    return found = find_submissions(path, passed);
  }
  const Submission& of(const std::string& student) const {
    for (const auto& one : found) {
      if (one.student == student) return one;
    }
    BOOST_FAIL("no row of " + student);
    std::abort();
  }

  std::vector<Submission> found;
  PassedOver passed;
};

BOOST_AUTO_TEST_SUITE(handed_in)

BOOST_AUTO_TEST_CASE(litter_is_passed_over_and_counted) {
  Handed handed;
  handed.add("ann.cu");
  handed.add("bob/dmv.cu");
  const std::string litter[] = {"__MACOSX/._ann.cu",
                                ".DS_Store",
                                "._ann.cu",
                                "Thumbs.db",
                                "DESKTOP.INI",
                                ".git/x.cu",
                                "ann.cu~",
                                ".ann.cu.swp",
                                "ann.o",
                                "#ann.cu#",
                                "ann.cu:Zone.Identifier",
                                ".ipynb_checkpoints/ann-checkpoint.cu",
                                "ANN.OBJ",
                                "~$notes.cu",
                                "ann.cu.bak",
                                "$RECYCLE.BIN/x.cu",
                                "bob/._dmv.cu",
                                "bob/.vscode/y.cu",
                                "bob/dmv.ptx",
                                "bob/CMakeFiles/CMakeCUDACompilerId.cu",
                                "bob/dmv.cu.orig"};
  for (const auto& name : litter)
    handed.add(name);
  handed.add("notes.txt");
  handed.add("carl.ipynb");
  BOOST_TEST(handed.find().size() == 2u);
  BOOST_TEST(!handed.of("ann").trouble);
  BOOST_TEST(!handed.of("bob").trouble);
  BOOST_TEST(handed.passed.litter == std::ssize(litter));
  BOOST_TEST(
      (std::set(handed.passed.others.begin(), handed.passed.others.end()) ==
       std::set<std::string>{"carl.ipynb", "notes.txt"}));
  BOOST_TEST(handed.passed.notes().size() == 2u);
}

BOOST_AUTO_TEST_CASE(every_usual_ending_is_graded) {
  Handed handed;
  for (const char* name : {"a.CU", "b.cuda", "c.Cu"})
    handed.add(name);
  for (const char* name : {"d.CPP", "e.cc", "f.cxx", "g.C", "h.c++", "i.Cpp"})
    handed.add(name);
  handed.find();
  BOOST_TEST(handed.found.size() == 9u);
  for (const auto& one : handed.found) {
    BOOST_TEST(!one.trouble, one.student);
    BOOST_TEST(one.is_cuda() == (one.student <= "c"), one.student);
    BOOST_TEST(one.ending() == (one.is_cuda() ? ".cu" : ".cpp"));
  }
  BOOST_TEST(handed.passed.notes().empty());
  handed.add("zoe.c");
  handed.find();
  BOOST_TEST(handed.passed.others.at(0) == "zoe.c");
}

BOOST_AUTO_TEST_CASE(names_that_look_alike_are_told_apart) {
  Handed handed;
  handed.add("ann.cpp");
  handed.add("ann/x.cpp");
  handed.add("Eve.cu");
  handed.add("eve.cu");
  handed.add("Jose\u0301.cu");  // as macOS writes it
  handed.add("Jos\u00e9.cu");
  handed.add("\u1100\u1175\u11b7.cu");
  handed.add("\uae40.cu");
  handed.add("\uc774.cu");  // resembles another name only by chance
  std::set<std::string> shown, names;
  for (const auto& one : handed.find()) {
    shown.insert(one.student);
    auto lower = one.name;
    for (auto& c : lower)
      c = static_cast<char>(std::tolower(c));
    names.insert(lower);
  }
  BOOST_TEST(names.size() == handed.found.size());
  BOOST_TEST(shown.size() == handed.found.size());
  for (const char* student : {"ann (ann.cpp)", "ann (x.cpp)", "Eve", "eve (2)"})
    handed.of(student);
  const auto numbered =
      std::ranges::count_if(handed.found, [](const Submission& one) {
        return one.student.ends_with(" (2)") || one.student.ends_with(" (3)");
      });
  BOOST_TEST(numbered >= 3);
}

BOOST_AUTO_TEST_CASE(nobody_disappears) {
  Handed handed;
  std::filesystem::create_directories(handed.path / "empty");
  handed.add("deep/dmv/src/dmv.cu");
  handed.add("deep/dmv/old/notes.txt");
  handed.add("two/a.cu");
  handed.add("two/b.CPP");
  handed.add("shut/dmv.cu");
  chmod((handed.path / "shut").c_str(), 0);
  handed.find();
  BOOST_TEST(handed.found.size() == 4u);
  BOOST_TEST(has(handed.of("empty").trouble, Cause::no_source));
  BOOST_TEST(has(handed.of("two").trouble, Cause::several_sources));
  BOOST_TEST(!handed.of("deep").trouble);
  if (geteuid() != 0)
    BOOST_TEST(has(handed.of("shut").trouble, Cause::not_readable));
  chmod((handed.path / "shut").c_str(), 0700);
}

BOOST_AUTO_TEST_CASE(any_editors_text_is_taken) {
  const std::string plain = "// \u00e4\nint a;\n";
  for (const std::string& text :
       {plain, std::string("// \xe4\r\nint a;\r\n"),
        std::string("// \xe4\rint a;\r"), "\xef\xbb\xbf" + plain,
        std::string("\xff\xfe/\0/\0 \0\xe4\0\r\0\n\0i\0n\0t\0 \0a\0;\0\n\0",
                    28),
        std::string("\xfe\xff\0/\0/\0 \0\xe4\0\n\0i\0n\0t\0 \0a\0;\0\n", 26),
        std::string("/\0/\0 \0\xe4\0\n\0i\0n\0t\0 \0a\0;\0\n\0", 24)})
    BOOST_TEST(plain_text(text) == plain);
  Handed handed;
  handed.add("ann.cu", "\xef\xbb\xbf// \xe4\r\nint a;\r\n");
  handed.find();
  BOOST_TEST(handed.of("ann").source == plain);
  handed.add("bob.cu", "\r\n");
  handed.find();
  BOOST_TEST(words(handed.of("bob").trouble) == "the file is empty");
  BOOST_TEST(plain_text("").empty());
  BOOST_TEST(plain_text("a\r\r\n\n") == "a\n\n\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
