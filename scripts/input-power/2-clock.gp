# The clock of the device on each kind of inputs. Where power is capped, the clock explains the speeds.
panel = "clock"
value = "clock_hz / 1e9"
value_low = "NULL"
value_high = "NULL"
unit = "GHz"
needs = "a clock"
x_least = 0.9 * number("SELECT min(clock_hz) / 1e9 FROM compared")
finding = list("SELECT printf('clocks from %.2f to %.2f GHz', min(clock_hz) / 1e9, max(clock_hz) / 1e9) FROM compared")
load "scripts/input-power/dots.inc"
