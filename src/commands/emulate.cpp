#include "commands/emulate.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "places/presence.hpp"

namespace parlab {

bool can_be_emulated(const RunRequest& request) {
  const auto& variants = request.plan.variants;
  const auto on_gpu = [](auto* v) { return v->needs_gpu(); };
  const auto library = [](auto* v) {
    return v->needs_gpu() && v->backend != "cuda";
  };
  return std::ranges::any_of(variants, on_gpu) &&
         !(request.named && std::ranges::any_of(variants, library));
}

void emulate_if_needed(const RunRequest& request,
                       std::vector<std::string> words) {
  const bool asked = request.plan.emulate;
  if (!can_be_emulated(request) || !(asked || why_no_gpu())) return;
  std::error_code ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  if (self.filename() == "parlab-emulated") return;
  const auto sibling = self.parent_path() / "parlab-emulated";
  std::vector<char*> arguments;
  for (auto& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(sibling.c_str(), arguments.data());
  if (asked) {
    throw UsageError("--emulate: " + sibling.string() +
                     " cannot be started; 'make' builds it");
  }
}

}  // namespace parlab
