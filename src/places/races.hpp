// Races between the threads of a variant on the host. They are detected in
// programs linked with places/races.
#pragma once

#include <optional>
#include <string>

namespace parlab {

struct ThreadRace {
  const void* address = nullptr;  // address of the byte
  // does: "writes"; place: "line 12 of mine.cpp"; did: "wrote", for the earlier
  // access
  std::string does, place, did, place_before;
};

struct RaceWatch {
  void (*begin)();
  std::optional<ThreadRace> (*end)();  // returns the first race since begin
};
// nullptr if this program does not detect races.
extern const RaceWatch* race_watch;

}  // namespace parlab
