#include "record/ceilings_file.hpp"

#include <algorithm>
#include <fstream>
#include <variant>

#include "core/file.hpp"
#include "record/json.hpp"

namespace parlab {
namespace {

namespace fs = std::filesystem;

// A run in this file names the one GPU whose ceilings it has, or none.
bool has_ceilings_of(const Run& run, const std::string& gpu) {
  return gpu.empty() ? run.gpus.empty()
                     : run.gpus.size() == 1 && run.gpus[0].uuid == gpu;
}

bool holds(const Run& then, const Run& now, const std::string& gpu) {
  if (!has_ceilings_of(then, gpu)) return false;
  if (!gpu.empty()) return then.driver == now.driver;
  return then.host_id == now.host_id && then.cpu == now.cpu &&
         then.cores == now.cores && then.kernel == now.kernel;
}

}  // namespace

fs::path ceilings_file(const std::string& records, const std::string& machine) {
  auto folder = fs::path(records).parent_path();
  if (folder.extension() == ".shards") folder = folder.parent_path();
  return (folder.empty() ? base_folder() / "results" / machine : folder) /
         "ceilings.json";
}

CeilingsOfMachine::CeilingsOfMachine(fs::path file, const Run& run)
    : file_(std::move(file)), now_(run) {
  read();
}

void CeilingsOfMachine::read() {
  known_.clear();
  std::ifstream in(file_);
  for (std::string line; std::getline(in, line);) {
    try {
      auto entry = from_json_line(line);
      if (auto* known = std::get_if<Run>(&entry))
        known_.push_back(std::move(*known));
    } catch (const ForeignLine&) {  // so they are measured again
    }
  }
}

const Ceilings* CeilingsOfMachine::find(const std::string& gpu) const {
  const auto found =
      std::find_if(known_.rbegin(), known_.rend(),
                   [&](const Run& run) { return holds(run, now_, gpu); });
  if (found == known_.rend()) return nullptr;
  const auto& ceilings = gpu.empty() ? found->host : found->device;
  return ceilings.read.empty() ? nullptr : &ceilings;
}

void CeilingsOfMachine::keep(const std::string& gpu, const Ceilings& ceilings) {
  Run run = now_;
  run.host = run.device = {};
  (gpu.empty() ? run.host : run.device) = ceilings;
  std::erase_if(run.gpus,
                [&](const GpuFacts& facts) { return facts.uuid != gpu; });
  append_line(file_, to_json_line(run));
  read();  // also reads what others have added
}

}  // namespace parlab
