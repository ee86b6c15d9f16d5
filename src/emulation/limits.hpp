// What is sensible to emulate: for the sweep, which reduces larger sizes and says so.
#pragma once

namespace parlab {

// Floating-point operations of one execution that take emulation some seconds on two cores.
constexpr double emulated_flops_limit = 2e8;

constexpr bool emulation_reasonable(double flops) { return flops <= emulated_flops_limit; }

}  // namespace parlab
