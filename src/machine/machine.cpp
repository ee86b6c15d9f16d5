#include "machine/machine.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <cctype>
#include <set>
#include <sstream>

#include "core/file.hpp"

namespace parlab {

std::string tidy_cpu_name(const std::string& name) {
  std::string text = name.substr(0, name.find('@'));
  for (const auto* mark : {"(R)", "(r)", "(TM)", "(tm)", "(C)"})
    boost::replace_all(text, mark, " ");
  std::string tidy;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    // skip "64-Core Processor", because the number of cores is stated
    // separately
    if (word.find("-Core") != word.npos) break;
    if (word == "CPU") continue;
    tidy += (tidy.empty() ? "" : " ") + word;
  }
  return tidy;
}

std::string machine_slug(const std::string& gpu, const std::string& cpu,
                         int cores, int gpus) {
  const std::string team = gpus > 1 ? " x" + std::to_string(gpus) : "";
  const std::string name = !gpu.empty() ? gpu + team
                                        : tidy_cpu_name(cpu) + " " +
                                              std::to_string(cores) +
                                              (cores == 1 ? " core" : " cores");
  std::string slug;
  for (const unsigned char c : name) {
    if (c < 128 && std::isalnum(c) != 0) {
      slug += static_cast<char>(std::tolower(c));
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  while (!slug.empty() && slug.back() == '-')
    slug.pop_back();
  return slug.empty() ? "unknown-machine" : slug;
}

std::string cpu_model(std::istream& cpuinfo) {
  for (std::string line; std::getline(cpuinfo, line);) {
    const auto colon = line.find(':');
    if (colon == line.npos) continue;
    const std::string key = boost::trim_copy(line.substr(0, colon));
    // x86 uses "model name", other systems "cpu model" or "Processor".
    if (key == "model name" || key == "cpu model" || key == "Processor") {
      const std::string model = boost::trim_copy(line.substr(colon + 1));
      if (!model.empty()) return model;
    }
  }
  return "unknown CPU";
}

std::string host_id_of(const std::string& machine_id,
                       const std::string& serial_numbers,
                       const std::string& hostname,
                       const std::string& of_boot) {
  // Never the name itself. The UUID is a hash, from which the name cannot be
  // recovered.
  const boost::uuids::name_generator_sha1 hash(boost::uuids::ns::dns());
  const bool named = !hostname.empty() && hostname != "(none)" &&
                     !hostname.starts_with("localhost");
  const auto id = [&](const std::string& kind, const std::string& name) {
    return to_string(hash("parlab " + kind + " " + name));
  };
  if (is_identity(machine_id)) return id("machine-id", machine_id);
  if (!serial_numbers.empty()) return id("serial", serial_numbers);
  if (named) return id("hostname", hostname);
  return of_boot.empty() ? "" : id("boot", of_boot);
}

bool is_identity(const std::string& number) {
  std::string letters;
  for (const unsigned char c : number) {
    if (std::isalnum(c) != 0) letters += static_cast<char>(std::tolower(c));
  }
  // Placeholders; three boards of one maker have the last two.
  static const std::set<std::string> known{
      "0123456789", "123456789", "1234567890",
      "03000200040005000006000700080009", "00020003000400050006000700080009"};
  static const char* const stand_ins[] = {
      "uninitialized", "filled",     "default", "notset",  "notspecified",
      "notapplicable", "notpresent", "none",    "unknown", "invalid",
      "serialnumber",  "empty",      "oem"};
  return std::set<char>(letters.begin(), letters.end()).size() > 1 &&
         !known.contains(letters) &&
         std::ranges::none_of(stand_ins, [&](const char* text) {
           return letters.find(text) != letters.npos;
         });
}

std::string host_id() {
  char hostname[256] = {};
  gethostname(hostname, sizeof hostname - 1);
  std::string serial_numbers;
  for (const std::string name :
       {"product_uuid", "board_serial", "product_serial"}) {
    const auto number = first_line("/sys/class/dmi/id/" + name);
    if (is_identity(number)) serial_numbers += name + "=" + number + " ";
  }
  return host_id_of(first_line("/etc/machine-id"), serial_numbers, hostname,
                    first_line("/proc/sys/kernel/random/boot_id"));
}

bool library_is_there(const std::string& soname) {
  void* const library = dlopen(soname.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return false;
  dlclose(library);
  return true;
}

}  // namespace parlab
