// The ceilings of a machine, measured once and kept:
// results/MACHINE/ceilings.json.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "record/run.hpp"

namespace parlab {

// The file lies beside the records that a sweep writes. For a shard it lies
// beside the folder EXPERIMENT.shards/. Records without a folder of their own
// have it in the machine's folder under results/.
std::filesystem::path ceilings_file(const std::string& records,
                                    const std::string& machine);

// The file has one line per measured device: a run that contains only its
// ceilings. A host's ceilings hold for the same host, CPU and kernel version, a
// GPU's for the same GPU and driver. The last line counts. Damaged lines are
// ignored.
class CeilingsOfMachine {
 public:
  // run: describes this machine as it is now.
  CeilingsOfMachine(std::filesystem::path file, const Run& run);

  const std::filesystem::path& file() const { return file_; }
  // gpu: its UUID; empty for the host. Returns nullptr when no ceilings hold.
  const Ceilings* find(const std::string& gpu) const;
  // Adds a line. Other nodes of a cluster may add theirs to the same file at
  // the same time. Throws std::runtime_error.
  void keep(const std::string& gpu, const Ceilings& ceilings);

 private:
  void read();

  std::filesystem::path file_;
  Run now_;
  std::vector<Run> known_;
};

}  // namespace parlab
