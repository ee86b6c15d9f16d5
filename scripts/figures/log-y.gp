# A logarithmic y axis around the values from y_low to y_high, in units of y_unit.
y_from = 10 ** (floor(log10(y_low) * 5) / 5.0) * 0.95
y_to = 10 ** (ceil(log10(y_high) * 5) / 5.0) * 1.05
set logscale y
set yrange [y_from:y_to]
set ytics ()
do for [decade = -9:15] {
  do for [step in (y_to / y_from > 2e4 ? "1" : y_to / y_from > 1e2 ? "1 3" : y_to / y_from > 8 ? "1 2 5" : "1 1.4 2 2.8 4 5 7")] {
    tick = real(step) * 10 ** decade
    if (tick >= y_from && tick <= y_to) {
      set ytics add ((is_si(y_unit) ? si(tick) . (strlen(y_unit) == 1 ? y_unit : "") : sprintf("%g", tick)) tick)
    }
  }
}
