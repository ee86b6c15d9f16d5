#include "places/emulation/source_lines.hpp"

#include <backtrace.h>
#include <dlfcn.h>
#include <link.h>

#include <boost/algorithm/string/erase.hpp>
#include <boost/core/demangle.hpp>
#include <boost/thread/synchronized_value.hpp>
#include <set>

#include "places/kernel_name.hpp"

// libbacktrace asks this function for the program and its libraries, and reads
// the debug information of each. Kernels are in the program alone, while that
// of the C library, where it is installed, takes longer to read than a small
// kernel to emulate. Hidden from libraries, which call the C library's.
extern "C" __attribute__((visibility("hidden"))) int dl_iterate_phdr(
    int (*visit)(dl_phdr_info*, std::size_t, void*), void* data) {
  struct Visit {
    decltype(visit) of_program;
    void* data;
  } only{visit, data};
  const auto first = [](dl_phdr_info* program, std::size_t size, void* to) {
    const auto& [of_program, given] = *static_cast<Visit*>(to);
    of_program(program, size, given);
    return 1;  // the program comes first
  };
  static const auto all = reinterpret_cast<decltype(&dl_iterate_phdr)>(
      dlsym(RTLD_NEXT, "dl_iterate_phdr"));
  return all(first, &only);
}

namespace parlab::emulation {
namespace {

void ignore(void*, const char*, int) {}

boost::synchronized_value<std::set<const void*>> named_kernels;

// libbacktrace reads the debug information on first use and keeps it.
backtrace_state* symbols() {
  static backtrace_state* const state =
      backtrace_create_state(nullptr, 1, ignore, nullptr);
  return state;
}

}  // namespace

Calls calls_here() {
  struct Collected {
    Calls calls{};
    std::size_t count = 0;
  } collected;
  const auto add = [](void* to, std::uintptr_t call) {
    auto& [calls, count] = *static_cast<Collected*>(to);
    calls[count++] = call;
    return count == calls.size() ? 1 : 0;
  };
  backtrace_simple(symbols(), 1, add, ignore, &collected);
  return collected.calls;
}

namespace {

bool is_of_kernel(std::string_view file) {
  return file.ends_with(".cu") || file.ends_with(".cuh");
}

// Among the functions inlined there, the innermost one in a kernel's file, or
// else the outermost.
Line line_at(std::uintptr_t address) {
  Line line;
  const auto look = [](void* to, std::uintptr_t, const char* file, int number,
                       const char* function) {
    if (file == nullptr || function == nullptr) return 0;
    *static_cast<Line*>(to) = {
        file, plain_function_name(boost::core::demangle(function)),
        static_cast<unsigned>(number)};
    return is_of_kernel(file) ? 1 : 0;
  };
  backtrace_pcinfo(symbols(), address, look, ignore, &line);
  return line;
}

}  // namespace

Line line_of(const void* address) {
  return line_at(reinterpret_cast<std::uintptr_t>(address) - 1);
}

std::string plain_function_name(std::string signature) {
  for (const std::string_view unnamed :
       {"(anonymous namespace)::", "{anonymous}::"})
    boost::erase_all(signature, unnamed);
  signature = signature.substr(0, signature.find_first_of("(<"));
  return signature.substr(signature.find_last_of(" :*&") + 1);
}

std::string name_place(const char* file, unsigned line) {
  const std::string path = file;
  return "line " + std::to_string(line) + " of " +
         path.substr(path.rfind('/') + 1);
}

Detail at_line(const char* file, unsigned line, Detail what) {
  what.further.push_back(because(Cause::at_line, name_place(file, line)));
  return what;
}

Detail at_line_of(const Calls& calls, Detail what) {
  for (const auto call : calls) {
    if (call == 0) break;
    const auto found = line_at(call);
    if (is_of_kernel(found.file))
      return at_line(found.file.c_str(), found.number, std::move(what));
  }
  return what;
}

void name_kernel(const char* text) {
  named_kernels->insert(text);
}

std::string name_function(const void* function) {
  if (named_kernels->contains(function))
    return static_cast<const char*>(function);
  std::string name;
  const auto note = [](void* to, std::uintptr_t, const char* symbol,
                       std::uintptr_t, std::uintptr_t) {
    if (symbol != nullptr) *static_cast<std::string*>(to) = symbol;
  };
  backtrace_syminfo(symbols(), reinterpret_cast<std::uintptr_t>(function), note,
                    ignore, &name);
  return plain_kernel_name(name);
}

}  // namespace parlab::emulation
