# How fast each kernel is on each kind of inputs, compared with uniform numbers.
panel = "times as fast as on uniform numbers"
value = "times"
value_low = "times_low"
value_high = "times_high"
unit = ""
level = 1
x_least = number("SELECT min(times_low, 1) FROM (SELECT min(times_low) AS times_low FROM compared)")
finding = list("SELECT CASE WHEN NOT on_gpu THEN 'one run on a CPU tells no difference' WHEN times_low > 1.02 THEN printf('%s is %.3g times as fast on %s as on uniform numbers', name, most, fastest) ELSE 'they change no time by more than the measurement does' END FROM extremes ORDER BY on_gpu DESC, times_low DESC LIMIT 1")
load "scripts/input-power/dots.inc"
