#include "places/emulation/doubts.hpp"

#include <algorithm>

namespace parlab::emulation {

bool Doubts::add_read(const Reader& reader, const void* place, Detail race) {
  const std::lock_guard lock(mutex_);
  const auto again = [&](const Doubt& doubt) {
    return doubt.reader == reader && doubt.place != nullptr;
  };
  if (std::any_of(doubts_.begin(), doubts_.end(), again)) return false;
  doubts_.push_back({reader, place, std::move(race)});
  return true;
}

void Doubts::add_atomic(const Reader& reader, Detail race,
                        const std::function<bool()>& unsettled) {
  const std::lock_guard lock(mutex_);
  if (!unsettled()) return;
  // A thread may have read the word in order to swap it, unless it has swapped
  // it already.
  if (swapped_words_.contains(reader.word) && !swapped_.contains(reader))
    return;
  doubts_.push_back({reader, nullptr, std::move(race)});
}

void Doubts::settle(const Reader& reader, const void* place) {
  const std::lock_guard lock(mutex_);
  if (place != nullptr) reads_for_swaps_.insert(place);
  swapped_.insert(reader);
  swapped_words_.insert(reader.word);
  std::erase_if(doubts_, [&](const Doubt& doubt) {
    if (doubt.reader != reader) return false;
    if (doubt.place != nullptr) reads_for_swaps_.insert(doubt.place);
    return true;
  });
}

const Detail* Doubts::left() const {
  const auto is_left = [&](const Doubt& doubt) {
    if (doubt.place != nullptr) return !reads_for_swaps_.contains(doubt.place);
    return swapped_.contains(doubt.reader) ||
           !swapped_words_.contains(doubt.reader.word);
  };
  const auto found = std::find_if(doubts_.begin(), doubts_.end(), is_left);
  return found == doubts_.end() ? nullptr : &found->race;
}

}  // namespace parlab::emulation
