#include "commands/emulate.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include "places/presence.hpp"

namespace parlab {

bool can_be_emulated(const Request& request) {
  const auto& variants = request.plan.variants;
  const auto on_gpu = [](auto* v) { return v->needs_gpu(); };
  const auto library = [](auto* v) {
    return v->needs_gpu() && v->backend != "cuda";
  };
  return std::any_of(variants.begin(), variants.end(), on_gpu) &&
         !(request.named &&
           std::any_of(variants.begin(), variants.end(), library));
}

void become_emulated(const Request& request, char** arguments) {
  std::error_code ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  if (self.filename() == "parlab-emulated") return;
  const auto sibling = self.parent_path() / "parlab-emulated";
  execv(sibling.c_str(), arguments);
  if (request.plan.emulate) {
    throw UsageError("--emulate: " + sibling.string() +
                     " cannot be started; 'make' builds it");
  }
}

void emulate_if_needed(const Request& request, char** arguments) {
  if (can_be_emulated(request) && (request.plan.emulate || why_no_gpu())) {
    become_emulated(request, arguments);
  }
}

}  // namespace parlab
