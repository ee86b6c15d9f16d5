// The name of a machine, for people and for folders.
#pragma once

#include <iosfwd>
#include <string>

namespace parlab {

// Name for folders, a-z, 0-9 and hyphens: "nvidia-h200", or of the CPU when there is no GPU,
// "intel-xeon-gold-6230-16-cores".
std::string machine_slug(const std::string& gpu, const std::string& cpu, int cores);

// "Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz" without its marks and clock: "Intel Xeon Gold 6230".
std::string tidy_cpu_name(const std::string& name);

// The model in the text of /proc/cpuinfo; "unknown CPU" when it does not say.
std::string cpu_model(std::istream& cpuinfo);

}  // namespace parlab
