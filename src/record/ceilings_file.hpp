// The ceilings of a machine, measured once and kept:
// results/MACHINE/ceilings.json.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "record/run.hpp"

namespace parlab {

// Beside the records that a sweep writes, of shards beside their folder
// EXPERIMENT.shards/; else, and when these have no folder of their own,
// in the folder of the machine under results/.
std::filesystem::path ceilings_file(const std::string& records,
                                    const std::string& machine);

// A line for each device that was measured: the run, with nothing but its
// ceilings. Of a host those hold for the same host, CPU and kernel version,
// of a GPU for the same GPU and driver, and the last line counts. A line that
// is damaged is as good as none.
class CeilingsOfMachine {
 public:
  // run: this machine as it is now.
  CeilingsOfMachine(std::filesystem::path file, const Run& run);

  const std::filesystem::path& file() const { return file_; }
  // gpu: its UUID; empty: the host. nullptr when there are none that hold.
  const Ceilings* find(const std::string& gpu) const;
  // Adds a line: other nodes of a cluster add theirs to the same file, at the
  // same time. Throws std::runtime_error.
  void keep(const std::string& gpu, const Ceilings& ceilings);

 private:
  void read();

  std::filesystem::path file_;
  Run now_;
  std::vector<Run> known_;
};

}  // namespace parlab
