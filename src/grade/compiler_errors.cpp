#include "grade/submission.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <fstream>
#include <regex>
#include <sstream>

#include "core/name.hpp"

namespace parlab::grade {
namespace {

constexpr std::streamsize longest_log = 1 << 20;

// The messages of GCC, clang, nvcc, the assembler and the linker, and the cause
// behind each.
struct Pattern {
  const char* says;
  Cause cause;
};
constexpr Pattern patterns[] = {
    // features that exist only on a GPU
    {R"(fatal error: (cub|thrust|cuda|cutlass|cute|curand|cufft|cusparse|)"
     R"(cusolver|nccl|nvtx3|texture)[\w./]*: No such file)",
     Cause::needs_gpu_headers},
    {R"(Error: (no such instruction|bad register name|unknown|invalid char|)"
     R"(junk at end|too many memory|operand|bad expression|unbalanced|)"
     R"(missing))",
     Cause::needs_ptx},
    {R"((impossible|output|input|matching) constraint|invalid 'asm'|)"
     R"(inconsistent operand constraints|unknown register name)",
     Cause::needs_ptx},
    // A name of CUDA that is unknown is one that emulation lacks.
    {R"(((call|arguments) to |^[^']*)'((tex|surf)[123]D|texture|surface|)"
     R"(cuda[A-Z]|__nvvm|__cluster|this_cluster|cluster_group|)"
     R"(__(noinline__|maxnreg__|builtin_assume|brkpt|cvta_|is(Global|Shared)|)"
     R"(v[a-z]+[24]'|[df][a-z]+_r[duz]'|u?mul(24|64)hi')))",
     Cause::needs_gpu_functions},
    {R"(is not a member of '(cuda|cg|cooperative_groups)'|)"
     R"((no match for|has no member named).*'cuda::)",
     Cause::needs_gpu_functions},
    // mistakes in the code around a kernel
    {"designator order for field 'parlab::Description::",
     Cause::members_out_of_order},
    {"designator order for field 'parlab::LaunchConfig::",
     Cause::launch_out_of_order},
    {"(Description'|LaunchConfig') has no (non-static data )?member named",
     Cause::unknown_member},
    {"launch\\(\\) has more or fewer arguments", Cause::arguments_missing},
    {"an argument of launch\\(\\) is of another type",
     Cause::argument_of_other_type},
    {"unresolved overloaded function type|couldn't (deduce|infer) template|"
     "no matching function for call to 'parlab::(Gpu|EmulatedGpu)::launch",
     Cause::launch_without_types},
    {"must capture nothing", Cause::callable_captures},
    {"no matching function for call to 'parlab::Register<|"
     "'Register' (does not name a type|was not declared|is not a)",
     Cause::registration_wrong},
    {"invalid conversion from 'const (\\w+)\\*' to '\\1\\*'",
     Cause::input_is_const},
    {"'__(shfl|shfl_up|shfl_down|shfl_xor|any|all|ballot)'",
     Cause::without_sync},
    {"multiple definition|duplicate symbol", Cause::defined_twice},
    {"'__(syncthreads|shared__|global__|device__)\\w*' (was not|does not)|"
     "'(threadIdx|blockIdx|blockDim)' was not declared",
     Cause::gpu_header_missing},
};

bool is_error(const std::string& line) {
  // The error behind this one says why.
  if (line.find(" declared void") != line.npos) return false;
  return line.find("error:") != line.npos || line.find("Error:") != line.npos ||
         line.find("error ") != line.npos ||
         line.find("multiple definition") != line.npos ||
         line.find("cannot find ") != line.npos ||
         line.find("undefined reference") != line.npos;
}

// Keeps a path from its file's last folder on.
std::string without_folders(const std::string& line) {
  const auto slash = line.rfind('/', line.find(": "));
  return slash == line.npos ? line : line.substr(slash + 1);
}

}  // namespace

Detail explained_error(const std::string& said, const std::string& source) {
  std::istringstream lines(said);
  std::string first, line, in_source;
  bool found = false;
  while (!found && std::getline(lines, line)) {
    const auto plain = without_folders(line);
    // "mine.cu:12:5:   required from here"
    if (plain.starts_with(source + ":") && !is_error(line) &&
        plain.find("warning: ") == plain.npos) {
      std::smatch place;
      if (std::regex_search(plain, place, std::regex("^[^:]+:\\d+(:\\d+)?:")))
        in_source = place.str();
    }
    first = plain;
    if (!(found = is_error(line))) continue;
    // The framework's own lines do not show the student where to look.
    const auto error = plain.find("error: ");
    if (!plain.starts_with(source + ":") && !in_source.empty() &&
        error != plain.npos)
      first = in_source + " " + plain.substr(error);
  }
  for (const auto* quote : {"\u2018", "\u2019"})
    boost::replace_all(first, quote, "'");
  Cause cause = Cause::none;
  for (const auto& pattern : patterns) {
    if (cause == Cause::none &&
        std::regex_search(first, std::regex(pattern.says)))
      cause = pattern.cause;
  }
  if (cause == Cause::defined_twice) first = first.substr(0, first.find(';'));
  boost::replace_all(first, "static assertion failed: ", "");
  first = std::regex_replace(first, std::regex("[^ ]*/([^ /]*\\.o: )"), "$1");
  first = printable(first).substr(0, 400);
  if (first.empty()) return {};
  Detail detail = other(first);
  if (cause != Cause::none) detail.further.push_back({.cause = cause});
  return detail;
}

Detail explained_error(const std::filesystem::path& log,
                       const std::filesystem::path& source) {
  std::string said(longest_log, '\0');
  std::ifstream file(log);
  file.read(said.data(), longest_log);
  said.resize(static_cast<std::size_t>(file.gcount()));
  return explained_error(said, source.filename().string());
}

}  // namespace parlab::grade
