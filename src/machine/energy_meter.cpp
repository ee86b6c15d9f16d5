#include "machine/energy_meter.hpp"

#include <chrono>
#include <thread>

namespace parlab {

double EnergyMeter::now_s() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void EnergyMeter::rest(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

}  // namespace parlab
