// The interface of a course: a file that says which functions its students
// write and how they become a variant. src/grade/courses has some.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grade/submission.hpp"

namespace parlab::grade {

// The comments at the top of the file say:
//   map: WORKLOAD DTYPE FUNCTION     its name as a regular expression
//   declares WORKLOAD: HEAD          the function's head, for a hand-out
//   headers: NAME ...                the course's headers, empty here
//   squares                          if the function has a single n
// The rest is compiled with a submission: it includes PARLAB_HANDED_IN and
// registers PARLAB_FUNCTION.
struct Course {
  struct Map {
    std::string workload;
    Dtype dtype;
    std::string function;
  };
  std::string name, text;
  std::vector<Map> maps = {};
  std::vector<std::string> headers = {};
  bool squares = false;
};

// Finds a course by its name in src/grade/courses, or by a path. Throws
// UsageError.
Course read_course(const std::string& name_or_path,
                   const std::filesystem::path& repository);

// The function of a source that a course maps: the last one defined there.
struct Handed {
  Course::Map map;
  std::string function;
};
std::optional<Handed> find_function(const Course& course,
                                    const std::string& source);

// The functions that it maps, "a or b"; of that workload, or of all if it is
// empty.
std::string functions_of(const Course& course, const std::string& workload);

// The known course that fits the most submissions without a registration.
// workload: only courses for it; empty: any.
std::optional<Course> course_of(const std::vector<Submission>& submissions,
                                const std::string& workload,
                                const std::filesystem::path& repository);

// Makes submissions that register nothing compile within the course's file. One
// without such a function gets that as its trouble. nullptr: there is no
// course.
void adapt(std::vector<Submission>& submissions, const Course* course,
           const std::string& workload, Dtype dtype);

}  // namespace parlab::grade
