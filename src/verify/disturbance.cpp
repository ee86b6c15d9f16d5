#include "verify/disturbance.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "core/chance.hpp"
#include "core/random.hpp"
#include "reference/timed_inputs.hpp"

namespace parlab {
namespace {

// More changes would not catch more variants, because an answer that misses a
// single one is wrong.
constexpr std::int64_t changes_per_input = 8;
// A variant that leaves out an eighth of its work misses all of them once in
// 5000 executions.
constexpr std::int64_t spoils_per_output = 64;

}  // namespace

Signs random_signs() {
  const SystemRandom random;
  Signs signs;
  for (int i = 0; i < 8; i += 2) {
    const auto bits = random();
    // odd, because it is a factor
    signs.key[i] = static_cast<std::uint32_t>(bits) | 1;
    signs.key[i + 1] = static_cast<std::uint32_t>(bits >> 32) | 1;
  }
  return signs;
}

Signs signs_of_seed(std::uint64_t seed) {
  Signs signs;
  for (std::uint32_t i = 0; i < 8; ++i)
    signs.key[i] = static_cast<std::uint32_t>(random_bits(seed, i)) | 1;
  return signs;
}

std::vector<ChangedElement> random_changes(const Arrays& inputs,
                                           InputKind kind) {
  const auto random_source = [&](std::int64_t count) {
    if (!reference::has_planted(kind)) return random_below(count);
    return reference::planted_place(
        count, random_below(reference::count_planted(count)));
  };
  std::vector<ChangedElement> all;
  for (const auto& array : inputs) {
    const auto& spec = array.spec;
    if (!spec.layout_of.empty() || spec.is_structure || spec.count < 2)
      continue;
    std::set<std::int64_t> used;
    for (std::int64_t i = 0; i < std::min(changes_per_input, spec.count / 2);
         ++i) {
      const auto to = random_below(spec.count),
                 from = random_source(spec.count);
      if (to == from || used.count(to) != 0 || used.count(from) != 0) continue;
      used.insert({to, from});
      all.push_back({spec.name, to, from});
      for (const auto& other : inputs) {
        const auto& map = other.spec.map;
        if (other.spec.layout_of != spec.name || other.spec.is_constant())
          continue;
        all.push_back({other.spec.name, map.place_of(to), map.place_of(from)});
      }
    }
  }
  return all;
}

std::vector<SpoiledElement> random_spoils(
    const std::vector<ArraySpec>& outputs) {
  std::vector<SpoiledElement> all;
  for (const auto& spec : outputs) {
    std::set<std::int64_t> used;
    for (std::int64_t i = 0; i < std::min(spoils_per_output, spec.count); ++i) {
      const auto element = random_below(spec.count);
      if (used.insert(element).second) all.push_back({spec.name, element});
    }
  }
  return all;
}

Changed::Changed(const std::vector<ChangedElement>& changes,
                 const Arrays& inputs) {
  for (const auto& change : changes) {
    auto* const data = inputs.get<unsigned char>(change.array);
    if (data == nullptr) continue;
    const auto bytes = bytes_of(inputs.spec(change.array).dtype);
    auto* at = data + static_cast<std::size_t>(change.to) * bytes;
    Word word{at, bytes, 0};
    std::memcpy(&word.before, at, bytes);
    words_.push_back(word);
    std::memcpy(at, data + static_cast<std::size_t>(change.from) * bytes,
                bytes);
  }
}

Changed::~Changed() {
  for (const auto& word : words_)
    std::memcpy(word.at, &word.before, word.bytes);
}

void spoil(const std::vector<SpoiledElement>& elements, const Arrays& outputs) {
  for (const auto& spoiled : elements) {
    auto* const data = outputs.get<unsigned char>(spoiled.array);
    if (data == nullptr) continue;
    const auto bytes = bytes_of(outputs.spec(spoiled.array).dtype);
    auto* at = data + static_cast<std::size_t>(spoiled.element) * bytes;
    if (std::all_of(at, at + bytes,
                    [](auto byte) { return byte == poison_byte; }))
      continue;
    at[bytes > 1 ? bytes - 2 : 0] ^= spoiling_bits;
  }
}

}  // namespace parlab
