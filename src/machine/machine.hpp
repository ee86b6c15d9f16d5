// The name of a machine, for people and for folders, and
// the identity of its host.
#pragma once

#include <iosfwd>
#include <string>

namespace parlab {

// Name for folders, a-z, 0-9 and hyphens: "nvidia-h200", or of the CPU
// when there is no GPU, "intel-xeon-gold-6230-16-cores". Several
// GPUs: "nvidia-h200-x2".
std::string machine_slug(const std::string& gpu, const std::string& cpu,
                         int cores, int gpus = 1);

// "Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz" without its marks and
// clock: "Intel Xeon Gold 6230".
std::string tidy_cpu_name(const std::string& name);

// The model in the text of /proc/cpuinfo; "unknown CPU" when it does not say.
std::string cpu_model(std::istream& cpuinfo);

// One GPU of the machine, as its driver names it.
struct GpuFacts {
  int device = 0;                      // CUDA's number for it
  std::string name = "";               // "NVIDIA H200"
  std::string uuid = "", pci = "";     // "GPU-8f3a...", "0000:65:00.0"
  std::string driver = "", cuda = "";  // versions: "580.159", "13.0"
};

// Tells this host from every other, of the same kind too, and nothing
// else about it: a name-based UUID (RFC 4122, SHA-1) of what the system
// calls itself. See host_id_of().
std::string host_id();

// By the first that is one: the machine-id of systemd, the serial numbers of
// mainboard and system (root alone may read them), the host's name, the number
// that the kernel drew when it started. Empty: there is none, and this host is
// taken for no other.
std::string host_id_of(const std::string& machine_id,
                       const std::string& serial_numbers,
                       const std::string& hostname,
                       const std::string& of_boot = "");

// Whether it can tell a machine from others: not a text that stands for a
// number that nobody has filled in, as "uninitialized", zeros alone or "Default
// string".
bool is_identity(const std::string& number);

// A shared library can be loaded: "libcublas.so.12".
bool library_is_there(const std::string& soname);

}  // namespace parlab
