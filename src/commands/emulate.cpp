#include "commands/emulate.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace parlab {

bool can_be_emulated(const Request& request) {
  const auto& variants = request.plan.variants;
  const auto on_gpu = [](auto* v) { return v->on_gpu; };
  const auto library = [](auto* v) { return v->on_gpu && v->backend != "cuda"; };
  return std::any_of(variants.begin(), variants.end(), on_gpu) &&
         !(request.named && std::any_of(variants.begin(), variants.end(), library));
}

void become_emulated(const Request& request, char** arguments) {
  std::error_code ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  if (self.filename() == "parlab-emulated") return;
  const auto sibling = self.parent_path() / "parlab-emulated";
  execv(sibling.c_str(), arguments);
  if (request.plan.emulate) {
    throw UsageError("--emulate: " + sibling.string() + " cannot be started; 'make' builds it");
  }
}

}  // namespace parlab
