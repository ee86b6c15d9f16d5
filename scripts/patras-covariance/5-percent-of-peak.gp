# All variants rung by rung as percent of the measured rate of multiply-adds of their device, without
# tensor cores; one series per size. The GPU's; without one the CPU's.
at = "FROM ladder WHERE dtype = 'double' AND peak_percent IS NOT NULL AND n >= 512"
device = int(number("SELECT max(on_gpu) " . at))
at = at . sprintf(" AND on_gpu = %d", device)
names = list("SELECT name " . at . " GROUP BY name ORDER BY max(peak_percent)")
sizes = list("SELECT DISTINCT n " . at . " ORDER BY n")
if (words(names) == 0) { print missing("covariance in double at 512 or more: make patras-covariance"); exit status 3 }

load "scripts/figures/names-x.gp"
y_high = number("SELECT max(peak_percent * time_s / ifnull(low_s, time_s)) " . at)
set yrange [0 : y_high > 100 ? y_high * 1.08 : 108]
set title "covariance, double: share of the peak of multiply-adds (" . (device ? "GPU" : "CPU") . ")"
set ylabel "percent of the peak without tensor cores"
set key title "n" left
set label 1000 provenance("gpu")

# The sizes of one variant side by side, so that they do not hide each other.
aside(i) = (i - (words(sizes) + 1) / 2.0) * 0.7 / words(sizes)
plot for [i = 1:words(sizes)] query("SELECT " . place . " AS place, peak_percent, peak_percent * time_s / ifnull(high_s, time_s), peak_percent * time_s / ifnull(low_s, time_s) " . at . " AND n = " . word(sizes, i) . " ORDER BY place") \
       using ($1 + aside(i)):2:3:4 with yerrorbars linetype i title k(word(sizes, i)), \
     100 with lines linetype 22 notitle
