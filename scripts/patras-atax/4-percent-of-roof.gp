# All variants as percent of the attainable roof of their device, which counts one reading of A; two
# gemv cannot reach more than 50 where A is larger than the caches. One series per size.
# In the gallery.
at = "FROM ladder WHERE dtype = 'double' AND roof_percent IS NOT NULL"
device = int(number("SELECT max(on_gpu) " . at))
at = at . sprintf(" AND on_gpu = %d", device)
names = list("SELECT name " . at . " GROUP BY name ORDER BY max(roof_percent)")
sizes = list("SELECT DISTINCT n " . at . " AND n >= 1024 ORDER BY n")
if (words(names) == 0 || words(sizes) == 0) { print missing("atax in double: make patras-atax"); exit status 3 }

load "scripts/figures/names-x.gp"
y_high = number("SELECT max(roof_percent) " . at)
set yrange [0 : y_high > 100 ? y_high * 1.08 : 108]
set title "atax, double: share of the roof (A read once, " . (device ? "GPU" : "CPU") . ")"
set ylabel "percent of the roof"
set key title "n" left
set label 1000 provenance("gpu")

# The sizes of one variant side by side, so that they do not hide each other.
aside(i) = (i - (words(sizes) + 1) / 2.0) * 0.6 / words(sizes)
plot for [i = 1:words(sizes)] query("SELECT " . place . " AS place, roof_percent, roof_percent * time_s / ifnull(high_s, time_s), roof_percent * time_s / ifnull(low_s, time_s) " . at . " AND n = " . word(sizes, i) . " ORDER BY place") \
       using ($1 + aside(i)):2:3:4 with yerrorbars linetype i title word(sizes, i), \
     100 with lines linetype 22 notitle, 50 with lines linetype 20 notitle
