#include "record/device.hpp"

namespace parlab {

bool on_gpu(const Record& record) {
  return record.backend == "cuda" || record.source.ends_with(".cu") ||
         record.to_device_s || record.to_host_s;
}

}  // namespace parlab
