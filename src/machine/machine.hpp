// Provenance: which machine, which version of the code, which command.
#pragma once

#include <iosfwd>
#include <string>

#include "record/record.hpp"

namespace parlab {

// Everything about this invocation but its ceilings. gpu: the device's name, "NVIDIA H200", empty
// without one; driver, cuda: their versions. Asks git: some milliseconds.
Run describe_run(const std::string& command, const std::string& gpu = {},
                 const std::string& driver = {}, const std::string& cuda = {});

// Name for folders, a-z, 0-9 and hyphens: "nvidia-h200", or of the CPU when there is no GPU,
// "intel-xeon-gold-6230-16-cores".
std::string machine_slug(const std::string& gpu, const std::string& cpu, int cores);

// "Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz" without its marks and clock: "Intel Xeon Gold 6230".
std::string tidy_cpu_name(const std::string& name);

// The model in the text of /proc/cpuinfo; "unknown CPU" when it does not say.
std::string cpu_model(std::istream& cpuinfo);

}  // namespace parlab
