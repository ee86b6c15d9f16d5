// What students handed in: files, found and built, each apart from all others.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "facts/cause.hpp"

namespace parlab::grade {

struct Submission {
  std::string student = {};  // of the file or the folder, as it stands there
  // the same as a name in records: odd characters are '_'
  std::string name = {};
  std::filesystem::path file = {};  // empty: nothing that could be built
  std::string source = {};          // what is in it
  // a course's file, which includes it and is compiled in its place, and empty
  // headers of that course
  std::string around = {};
  std::vector<std::string> headers = {};
  Detail trouble = {};  // why not, or the first error of the compiler
  // that its compilers and its program run as, where the grader is root
  std::optional<uid_t> user = {};
  // once it is built; for the emulation where there is one
  std::filesystem::path program = {};
  std::filesystem::path on_gpu = {};  // the same for a GPU
  // and, where it has threads of OpenMP, for whoever looks for their races
  std::filesystem::path for_races = {};

  bool is_cuda() const;
  // by which compilers tell what it is
  const char* ending() const { return is_cuda() ? ".cu" : ".cpp"; }
};

// Of a class, but nobody's submission.
struct PassedOver {
  std::int64_t litter = 0;               // of systems, editors and compilers
  std::vector<std::string> others = {};  // by name
  std::vector<Detail> notes() const;
};

// Every source in a folder, and every folder in it as one student's; or one
// file. By student, no two of whom have names that look alike. No link in it is
// followed; an entry that cannot be read, or is neither file nor folder, has
// this as its trouble. Throws UsageError.
std::vector<Submission> find_submissions(const std::filesystem::path& path,
                                         PassedOver& passed);

// The workload whose header a source includes: "dmv"; empty: none, or several.
std::string workload_of(const std::string& source);

// The repository that this program was built in. Throws UsageError when
// it is not there any more.
std::filesystem::path repository();

enum class BuildFor { emulation, emulation_and_gpu };

// Builds them side by side, with the flags and objects of this program's
// own build, each confined to its own folder in `folder`, until Ctrl-C.
// Throws when nothing at all can be built here.
void build(std::vector<Submission>& submissions, const std::string& workload,
           const std::filesystem::path& folder, BuildFor what);

}  // namespace parlab::grade
