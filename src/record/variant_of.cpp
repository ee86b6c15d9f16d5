#include "record/variant_of.hpp"

#include <algorithm>

namespace parlab {

const Variant* variant_of(const Record& record) {
  const auto& variants = Registry::instance().variants(record.workload);
  const auto found =
      std::ranges::find(variants, record.full_name(), &Variant::full_name);
  return found == variants.end() ? nullptr : *found;
}

}  // namespace parlab
