#include "commands/emulate.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/process.hpp"
#include "places/presence.hpp"

namespace parlab {
namespace {

constexpr const char* emulating = "parlab-emulated";

}  // namespace

bool can_be_emulated(const RunRequest& request) {
  const auto& variants = request.plan.variants;
  const auto on_gpu = [](auto* v) { return v->needs_gpu(); };
  const auto library = [](auto* v) {
    return v->needs_gpu() && v->backend != "cuda";
  };
  return std::ranges::any_of(variants, on_gpu) &&
         !(request.named && std::ranges::any_of(variants, library));
}

bool become_emulated(std::vector<std::string> words) {
  std::error_code ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  if (self.filename() == emulating) return true;
  execv((self.parent_path() / emulating).c_str(), as_c(words).data());
  return false;
}

void emulate_if_needed(const RunRequest& request,
                       std::vector<std::string> words) {
  const bool asked = request.plan.emulate;
  if (!can_be_emulated(request) || !(asked || why_no_gpu())) return;
  if (!become_emulated(std::move(words)) && asked) {
    throw UsageError("--emulate: " + std::string(emulating) +
                     " cannot be started; 'make' builds it");
  }
}

}  // namespace parlab
