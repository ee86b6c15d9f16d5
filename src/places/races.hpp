// Races between the threads of a variant on the host, looked for in a program
// that is linked with places/races.
#pragma once

#include <optional>
#include <string>

namespace parlab {

struct ThreadRace {
  const void* address = nullptr;  // of the byte
  // "writes" and "line 12 of mine.cpp"; of the access before it "wrote"
  std::string does, place, did, place_before;
};

struct RaceWatch {
  void (*begin)();
  std::optional<ThreadRace> (*end)();  // the first one since then
};
// nullptr: nobody looks for them in this program.
extern const RaceWatch* race_watch;

}  // namespace parlab
