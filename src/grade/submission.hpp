// The files that students handed in, found and built, each separate from all
// others.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "facts/cause.hpp"

namespace parlab::grade {

struct Submission {
  std::string student = {};  // name of the file or the folder
  // the same as a name in records, with '_' for odd characters
  std::string name = {};
  std::filesystem::path file = {};  // empty: no file that could be built
  std::string source = {};          // its text
  // a course's file, which includes it and is compiled in its place, and that
  // course's empty headers
  std::string around = {};
  std::vector<std::string> headers = {};
  Detail trouble = {};  // why there is none, or the compiler's first error
  // that its compilers and its program run as, if the grader is root
  std::optional<uid_t> user = {};
  // once it is built; for emulation if it is a kernel
  std::filesystem::path program = {};
  std::filesystem::path on_gpu = {};  // the same for a GPU
  // and, if it mentions threads, one for finding their races
  std::filesystem::path for_races = {};

  bool is_cuda() const;
  // which tells compilers its language
  const char* ending() const { return is_cuda() ? ".cu" : ".cpp"; }
};

// Files of a class that are no submission.
struct PassedOver {
  std::int64_t litter = 0;               // left by systems, editors and
                                         // compilers
  std::vector<std::string> others = {};  // by name
  std::vector<Detail> notes() const;
};

// Every source in a folder, and every folder in it as one student's; or one
// file. Sorted by student; no two names look alike. Links are not followed. An
// entry that cannot be read, or is neither file nor folder, has this as its
// trouble. Throws UsageError.
std::vector<Submission> find_submissions(const std::filesystem::path& path,
                                         PassedOver& passed);

// The workload whose header a source includes: "dmv"; empty: none or several.
std::string workload_of(const std::string& source);

// The repository that this program was built in. Throws UsageError if it is
// gone.
std::filesystem::path repository();

// The first error in the output of a compiler or linker, "mine.cu:12:5: error:
// ...", at the line of the submission that led to it, followed by a cause if
// one is known; empty if there was no output. log: a file with all of it.
Detail explained_error(const std::filesystem::path& log,
                       const std::filesystem::path& source);
Detail explained_error(const std::string& said, const std::string& source);

enum class BuildFor { emulation, emulation_and_gpu };

// Builds them side by side, with the flags and objects of this program's own
// build, each confined to its own folder in `folder`, until Ctrl-C. Throws if
// nothing at all can be built here.
void build(std::vector<Submission>& submissions, const std::string& workload,
           const std::filesystem::path& folder, BuildFor what);

}  // namespace parlab::grade
