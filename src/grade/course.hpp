// The interface of a course: a file that says which functions its students
// write, and how they become a variant. src/grade/courses has some.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "grade/submission.hpp"

namespace parlab::grade {

// At its top it says, in comments:
//   map: WORKLOAD DTYPE FUNCTION     its name as a regular expression
//   declares WORKLOAD: HEAD          of a function, for a hand-out
//   headers: NAME ...                of the course, which are empty here
//   squares                          it has one n
// What follows is compiled with a submission: it includes PARLAB_HANDED_IN and
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

// By its name in src/grade/courses, or by a path. Throws UsageError.
Course read_course(const std::string& name_or_path,
                   const std::filesystem::path& repository);
// Those in src/grade/courses.
std::vector<Course> known_courses(const std::filesystem::path& repository);

// What a source has for a course: the last function that is defined there.
struct Handed {
  Course::Map map;
  std::string function;
};
std::optional<Handed> find_function(const Course& course,
                                    const std::string& source);

// The known course that the most of those without a registration are written
// for. workload: of that alone; empty: any.
std::optional<Course> course_of(const std::vector<Submission>& submissions,
                                const std::string& workload,
                                const std::filesystem::path& repository);

// Has those that register nothing compiled within the course's file; who has no
// function of it gets this as its trouble. nullptr: there is no course.
void adapt(std::vector<Submission>& submissions, const Course* course,
           const std::string& workload, Dtype dtype);

}  // namespace parlab::grade
