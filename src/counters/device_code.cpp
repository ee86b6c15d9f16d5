#include "counters/device_code.hpp"

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <filesystem>
#include <regex>
#include <set>

#include "core/file.hpp"
#include "core/process.hpp"
#include "core/text.hpp"
#include "counters/ncu.hpp"
#include "counters/source_text.hpp"
#include "places/kernel_name.hpp"

namespace parlab {
namespace {

namespace fs = std::filesystem;

std::string trimmed(const std::string& text) {
  return boost::trim_copy_if(text, boost::is_any_of(" \t;\r\n"));
}

// Turns blanks and tabs, as in "ld.global.f32 \t%f1", into single blanks.
std::string with_single_blanks(std::string text) {
  std::ranges::replace(text, '\t', ' ');
  const auto more = std::ranges::unique(
      text, [](char a, char b) { return a == ' ' && b == ' '; });
  text.erase(more.begin(), more.end());
  return text;
}

// The source line that instructions of a listing belong to.
struct Place {
  InstructionsByLine* kernel = nullptr;
  std::pair<std::string, unsigned> line;

  void add(const std::string& instruction) const {
    if (kernel != nullptr)
      (*kernel)[line].push_back(with_single_blanks(trimmed(instruction)));
  }
};

std::string answer_of(const std::vector<std::string>& command) {
  const auto [text, succeeded] = output_of(command);
  if (!succeeded) {
    throw ExplainedError(other("no SASS: " + base_name(command.front()) +
                               " says: " + trimmed(text)));
  }
  return text;
}

// cuobjdump writes to its current folder.
void extract(const fs::path& object, const fs::path& folder) {
  const auto [text, succeeded] = output_of(
      {"/bin/sh", "-c", R"(cd "$1" && exec "$2" --extract-elf all "$3")", "sh",
       folder, find_tool("cuobjdump"), object});
  const bool none = text.find("does not contain device code") != text.npos;
  if (!succeeded && !none)
    throw ExplainedError(other("no SASS: cuobjdump says: " + trimmed(text)));
}

// Whether a kernel has this type of elements: its name contains the type, or no
// kernel's name contains any.
bool is_for(const std::string& kernel, Dtype dtype,
            const InstructionsByKernel& all) {
  const auto names_it = [&](const std::string& symbol) {
    static const std::regex word("[A-Za-z_]\\w*");
    const auto name = plain_kernel_name(symbol);
    const std::sregex_iterator begin(name.begin(), name.end(), word), end;
    return std::any_of(begin, end, [&](const auto& found) {
      return found.str() == to_string(dtype);
    });
  };
  return names_it(kernel) || std::ranges::none_of(all, [&](const auto& one) {
           return names_it(one.first);
         });
}

Table table_of(const std::string& symbol, const std::string& source,
               const InstructionsByLine& sass, const InstructionsByLine& ptx) {
  constexpr std::size_t of_source = 24, of_code = 40;
  const auto kernel = plain_kernel_name(symbol);
  Table table{.key = "instructions",
              .title = kernel,
              .columns = {{.key = "kernel"},
                          {.key = "file"},
                          {.key = "line"},
                          {.title = "line"},
                          {"source", "source", false, of_source, false, true},
                          {"sass", "SASS", false, of_code},
                          {"ptx", "PTX", false, of_code}}};
  auto lines = sass;
  lines.insert(ptx.begin(), ptx.end());
  SourceText sources;
  const auto add = [&](const auto& line) {
    const auto& [file, number] = line;
    const auto at = [&](const InstructionsByLine& all, std::size_t i) {
      const auto found = all.find(line);
      return found == all.end() || i >= found->second.size() ? std::string()
                                                             : found->second[i];
    };
    for (std::size_t i = 0;; ++i) {
      const auto here = at(sass, i), of_ptx = at(ptx, i);
      if (here.empty() && of_ptx.empty()) break;
      table.rows.push_back(
          row_of({kernel, file, std::int64_t{number},
                  i > 0 ? "" : base_name(file) + ":" + std::to_string(number),
                  i > 0 ? "" : sources.line(file, number), here, of_ptx}));
    }
  };
  // the kernel's own file first, then headers
  for (const bool own : {true, false}) {
    for (const auto& [line, instructions] : lines) {
      if (line.first.ends_with(source) == own) add(line);
    }
  }
  return table;
}

}  // namespace

InstructionsByKernel parse_sass(const std::string& text) {
  static const std::regex section(R"(\s*\.text\.(\S+):\s*)"),
      line_info(R"re(\s*//## File "([^"]*)", line (\d+).*)re"),
      instruction(R"(\s*/\*[0-9a-f]{4,}\*/\s+([^;]*);.*)");
  InstructionsByKernel all;
  Place here;
  bool is_inner = true;  // the line of the innermost function comes first
  for (const auto& line : split(text, '\n')) {
    std::smatch found;
    if (std::regex_match(line, found, section)) {
      here = {.kernel = &all[found[1]], .line = {}};
    } else if (std::regex_match(line, found, line_info)) {
      if (is_inner)
        here.line = {found[1], static_cast<unsigned>(std::stoul(found[2]))};
      is_inner = false;
      continue;
    } else if (std::regex_match(line, found, instruction)) {
      here.add(found[1]);
    }
    is_inner = true;
  }
  return all;
}

InstructionsByKernel parse_ptx(const std::string& text) {
  static const std::regex entry(R"(.*\.entry\s+(\w+).*)"),
      file(R"re(\s*\.file\s+(\d+)\s+"([^"]*)".*)re"),
      location(R"(\s*\.loc\s+(\d+)\s+(\d+)\s.*)"),
      instruction(R"(\s+[@a-z].*;\s*)");
  // The names of files are at the end.
  InstructionsByKernel by_number, all;
  std::map<std::string, std::string> files;
  std::string symbol;  // prefix of its parameters' names
  Place here;
  for (auto& line : split(text, '\n')) {
    std::smatch found;
    if (line.starts_with(".version")) {
      if (!by_number.empty()) break;
    } else if (std::regex_match(line, found, file)) {
      files[found[1]] = found[2];
    } else if (std::regex_match(line, found, entry)) {
      symbol = found[1];
      here = {.kernel = &by_number[symbol], .line = {}};
    } else if (line == "}") {
      here.kernel = nullptr;
    } else if (std::regex_match(line, found, location)) {
      here.line = {found[1], static_cast<unsigned>(std::stoul(found[2]))};
    } else if (std::regex_match(line, instruction)) {
      const auto of_kernel = line.find(symbol + "_");
      if (of_kernel != line.npos) line.erase(of_kernel, symbol.size() + 1);
      here.add(line);
    }
  }
  for (const auto& [kernel, by_line] : by_number) {
    for (const auto& [at, instructions] : by_line)
      all[kernel][{files[at.first], at.second}] = instructions;
  }
  return all;
}

void require_disassemblers() {
  for (const auto* tool : {"cuobjdump", "nvdisasm"}) {
    if (find_tool(tool).empty()) {
      throw UsageError(std::string("--sass needs ") + tool +
                       ", which comes with the CUDA toolkit and is not in "
                       "PATH");
    }
  }
}

std::vector<Block> device_code_of(const std::string& source, Dtype dtype) {
  // cuobjdump runs in another folder.
  const auto object =
      fs::absolute(base_folder() / "build/cuda" / (source + ".o"));
  if (!is_there(object)) {
    throw ExplainedError(
        other("no SASS: " + object.string() +
              " is not there; 'make' builds it where nvcc is"));
  }
  const Temporary folder(new_temporary_folder("parlab-sass"));
  extract(object, folder.path());
  InstructionsByKernel sass;
  for (const auto& file : fs::directory_iterator(folder.path()))
    sass.merge(parse_sass(answer_of({find_tool("nvdisasm"), "--print-code",
                                     "--print-line-info", file.path()})));
  if (sass.empty())
    throw ExplainedError(other("no SASS: " + source + " has no device code"));
  const auto ptx =
      parse_ptx(answer_of({find_tool("cuobjdump"), "--dump-ptx", object}));
  std::vector<Block> blocks;
  for (const auto& [kernel, lines] : sass) {
    if (!is_for(kernel, dtype, sass)) continue;
    const auto same = ptx.find(kernel);
    blocks.push_back(
        table_of(kernel, source, lines,
                 same == ptx.end() ? InstructionsByLine() : same->second));
  }
  return blocks;
}

std::vector<Block> device_code_of(
    const std::vector<std::vector<Record>>& points, Observer& observer) {
  std::vector<Block> sections;
  std::set<std::pair<std::string, Dtype>> done;
  for (const auto& point : points) {
    for (const auto& record : point) {
      if (record.backend != "cuda" || record.verdict != Verdict::passed ||
          !done.emplace(record.source, record.dtype).second)
        continue;
      try {
        sections.push_back(
            Section{.title = record.full_name() + " " +
                             std::string(to_string(record.dtype)) +
                             ": the code that nvcc made",
                    .blocks = device_code_of(record.source, record.dtype)});
      } catch (const ExplainedError& error) {
        observer.note(error.detail);
      }
    }
  }
  return sections;
}

}  // namespace parlab
