#include "grade/course.hpp"

#include <algorithm>
#include <regex>
#include <sstream>

#include "core/file.hpp"
#include "core/text.hpp"

namespace parlab::grade {
namespace {

namespace fs = std::filesystem;

constexpr const char* folder_of_courses = "src/grade/courses";

Course course_of(const fs::path& path) {
  const auto text = read_file(path);
  if (!text) throw UsageError("--course " + path.string() + ": is no file");
  Course course{.name = path.stem().string(), .text = *text};
  std::istringstream lines(*text);
  for (std::string line, slashes, key; std::getline(lines, line);) {
    std::istringstream words(line);
    words >> slashes >> key;
    if (slashes != "//") break;
    if (key == "map:") {
      std::string workload, dtype, function;
      words >> workload >> dtype >> function;
      course.maps.push_back({workload, from_string<Dtype>(dtype), function});
    } else if (key == "headers:") {
      for (std::string header; words >> header;)
        course.headers.push_back(header);
    }
    course.squares |= key == "squares" && words.peek() == EOF;
  }
  if (course.maps.empty()) {
    throw UsageError("--course " + path.string() +
                     ": its first lines have no '// map: WORKLOAD DTYPE "
                     "FUNCTION', as those of " +
                     folder_of_courses + " do");
  }
  return course;
}

// The courses in src/grade/courses.
std::vector<Course> known_courses(const fs::path& root) {
  std::vector<Course> courses;
  std::error_code none;
  for (const auto& entry :
       fs::directory_iterator(root / folder_of_courses, none))
    courses.push_back(course_of(entry.path()));
  std::ranges::sort(courses, {}, &Course::name);
  return courses;
}

// Comments may contain functions.
std::string without_comments(const std::string& source) {
  std::string text;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source.compare(i, 2, "//") == 0) {
      i = std::min(source.find('\n', i), source.size() - 1);
    } else if (source.compare(i, 2, "/*") == 0) {
      i = std::min(source.find("*/", i), source.size() - 2) + 1;
    }
    text += source[i] == '/' ? ' ' : source[i];
  }
  return text;
}

// Whether a name is followed by parameters and a body. These are found one
// after the other: a regular expression for the whole would recurse as deep as
// the source is long.
bool is_defined_at(const std::string& text, std::size_t behind_name) {
  const auto open = text.find_first_not_of(" \t\r\n", behind_name);
  if (open == text.npos || text[open] != '(') return false;
  const auto close = text.find(')', open);
  if (close == text.npos) return false;
  const auto body = text.find_first_not_of(" \t\r\n", close + 1);
  return body != text.npos && text[body] == '{';
}

bool registers(const Submission& submission) {
  return submission.source.find("Register") != std::string::npos;
}

// The source that is compiled: the course's file around the submission, which
// lies beside it in a file of its own name.
std::string around(const Course& course, const Handed& handed, Dtype dtype,
                   const Submission& submission) {
  const auto define = [](const std::string& name, const std::string& value) {
    return "#define PARLAB_" + name + " " + value + "\n";
  };
  const auto quoted = [](const std::string& text) { return '"' + text + '"'; };
  const bool cuda = submission.is_cuda();
  return define("HANDED_IN", quoted(submission.name + submission.ending())) +
         define("FUNCTION", handed.function) +
         define("FUNCTION_NAME", quoted(handed.function)) +
         define("WORKLOAD_" + handed.map.workload, "1") +
         define("TYPE", std::string(to_string(dtype))) +
         define("MACHINE", cuda ? "Gpu" : "Host") + "#include " +
         quoted(cuda ? "gpu/gpu.hpp" : "host/host.hpp") + "\n#line 1 " +
         quoted(course.name + ".cu") + "\n" + course.text;
}

}  // namespace

Course read_course(const std::string& name_or_path, const fs::path& root) {
  const bool path = name_or_path.find_first_of("./") != std::string::npos;
  if (path) return course_of(name_or_path);
  for (auto& course : known_courses(root)) {
    if (course.name == name_or_path) return course;
  }
  throw UsageError("--course " + name_or_path + ": there is " +
                   join(known_courses(root), ", ", &Course::name) +
                   "; or name a file");
}

std::optional<Handed> find_function(const Course& course,
                                    const std::string& source) {
  const auto text = without_comments(source);
  std::optional<Handed> last;
  std::ptrdiff_t at = -1;
  for (const auto& map : course.maps) {
    const std::regex name("\\b(?:" + map.function + ")\\b");
    for (std::sregex_iterator found(text.begin(), text.end(), name), end;
         found != end; ++found) {
      const auto behind = found->position() + found->length();
      if (found->position() <= at ||
          !is_defined_at(text, static_cast<std::size_t>(behind)))
        continue;
      at = found->position();
      last = {map, found->str()};
    }
  }
  return last;
}

std::string functions_of(const Course& course, const std::string& workload) {
  std::vector<std::string> functions;
  for (const auto& map : course.maps) {
    if (workload.empty() || map.workload == workload)
      functions.push_back(map.function);
  }
  return join(functions, " or ");
}

std::optional<Course> course_of(const std::vector<Submission>& submissions,
                                const std::string& workload,
                                const fs::path& root) {
  std::optional<Course> best;
  std::ptrdiff_t most = 0;
  for (auto& course : known_courses(root)) {
    if (!workload.empty()) {
      std::erase_if(course.maps, [&](const Course::Map& map) {
        return map.workload != workload;
      });
    }
    const auto count =
        std::ranges::count_if(submissions, [&](const Submission& one) {
          return !registers(one) && find_function(course, one.source);
        });
    if (count > most) {
      most = count;
      best = std::move(course);
    }
  }
  return best;
}

void adapt(std::vector<Submission>& submissions, const Course* course,
           const std::string& workload, Dtype dtype) {
  for (auto& one : submissions) {
    if (one.trouble || registers(one)) continue;
    const auto handed =
        course ? find_function(*course, one.source) : std::nullopt;
    if (handed && handed->map.workload == workload) {
      one.around = around(*course, *handed, dtype, one);
      one.headers = course->headers;
    } else if (course) {
      one.trouble = because(Cause::no_function, functions_of(*course, workload),
                            course->name);
    } else {
      const bool cuda = one.is_cuda();
      one.trouble = because(Cause::no_registration, workload,
                            cuda ? "Gpu& gpu" : "Host&", dtype);
    }
  }
}

}  // namespace parlab::grade
