// The name of a machine, for people and for folders, and the identity of its
// host.
#pragma once

#include <iosfwd>
#include <string>

namespace parlab {

// Name for folders with a-z, 0-9 and hyphens: "nvidia-h200", or without a GPU
// that of the CPU, "intel-xeon-gold-6230-16-cores". Several GPUs:
// "nvidia-h200-x2".
std::string machine_slug(const std::string& gpu, const std::string& cpu,
                         int cores, int gpus = 1);

// The name without its marks and clock: "Intel(R) Xeon(R) Gold 6230 CPU @
// 2.10GHz" becomes "Intel Xeon Gold 6230".
std::string tidy_cpu_name(const std::string& name);

// The model in the text of /proc/cpuinfo; "unknown CPU" if it is not given.
std::string cpu_model(std::istream& cpuinfo);

// One GPU of the machine, as its driver names it.
struct GpuFacts {
  int device = 0;                      // CUDA's number of the GPU
  std::string name = "";               // "NVIDIA H200"
  std::string uuid = "", pci = "";     // "GPU-8f3a...", "0000:65:00.0"
  std::string driver = "", cuda = "";  // versions: "580.159", "13.0"
};

// A UUID that tells this host from every other one, even of the same model, and
// reveals nothing else about it. It is name-based (RFC 4122, SHA-1) and made
// from the system's own identifiers. See host_id_of().
std::string host_id();

// The UUID of the first identifier that is usable: systemd's machine-id, the
// serial numbers of mainboard and system (only root may read them), the host's
// name, or the random number that the kernel drew at boot. Empty if there is
// none; such a host equals no other.
std::string host_id_of(const std::string& machine_id,
                       const std::string& serial_numbers,
                       const std::string& hostname,
                       const std::string& of_boot = "");

// Whether a number identifies a machine. Placeholders that the maker did not
// replace, such as "uninitialized", only zeros or "Default string", do not.
bool is_identity(const std::string& number);

// Whether a shared library, such as "libcublas.so.12", can be loaded.
bool library_is_there(const std::string& soname);

}  // namespace parlab
