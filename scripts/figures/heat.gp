# A heat map for each panel: times relative to the best of their row, as numbers and as colours. A figure sets
#   rows     SQL of the cells: panel, line, column, time_s; line and column are numbers
#   run, subject, line_name, column_name, column_is (a word for one);
#   and line_words(l), column_words(c) if they are not plain numbers
# Its title names the column that serves all lines best, and the cost of the worst.
if (!exists("finding")) { finding = "" }
cells = "WITH given AS (SELECT panel, line, [column], min(time_s) AS time_s FROM (" . rows . ") WHERE time_s > 0 GROUP BY 1, 2, 3), " \
  . "compared AS (SELECT * FROM given g WHERE (SELECT count(*) FROM given o WHERE o.panel = g.panel AND o.line = g.line) > 1), " \
  . "cells AS (SELECT *, dense_rank() OVER (ORDER BY panel) AS p, dense_rank() OVER (ORDER BY line) AS l, dense_rank() OVER (ORDER BY [column]) AS c, " \
  . "time_s / min(time_s) OVER (PARTITION BY panel, line) AS over FROM compared) "
panel_names = list(cells . "SELECT " . bound("panel") . ", count(*) FROM cells GROUP BY p ORDER BY p")
panels = words(panel_names) / 2
if (panels == 0) { print missing(run); exit status 3 }
rows_to_keep = cells . "SELECT c, l, over FROM cells ORDER BY p"
eval keep
line_values = list(cells . "SELECT line FROM cells GROUP BY l ORDER BY l")
column_values = list(cells . "SELECT [column] FROM cells GROUP BY c ORDER BY c")
if (!exists("line_is_size")) { line_is_size = 1 }
line_words(v) = line_is_size ? k(real(v)) : freed(v)

if (strlen(finding) == 0) {
  found = list(cells . "SELECT [column], printf('%.9e', 100 * (max(over) - 1)), printf('%.9e', (SELECT max(over) FROM cells WHERE panel NOT LIKE 'published%')) FROM cells WHERE panel NOT LIKE 'published%' GROUP BY c HAVING count(*) = (SELECT max(n) FROM (SELECT count(*) AS n FROM cells WHERE panel NOT LIKE 'published%' GROUP BY c)) ORDER BY max(over) LIMIT 1")
  finding = sprintf("a %s of %s is %s everywhere, the worst takes %.1f times as long", column_is, freed(word(found, 1)), real(word(found, 2)) < 0.5 ? "the best" : sprintf("within %.0f %% of the best", real(word(found, 2)) + 0.499), real(word(found, 3)))
}
columns = panels == 1 ? 1 : panels == 3 ? 3 : 2
high = words(line_values) < 6 ? 30.0 : 24.0
part_high = high * words(line_values) + 74
tall = 84.0 + part_high * ((panels + columns - 1) / columns)
eval canvas(tall)
wide = 720.0 / columns

set cbrange [0:1]
set palette defined (0 "#FFFFFF", 0.08 "#DEEBF7", 0.35 "#9ECAE1", 0.7 "#3182BD", 1 "#08519C")
unset colorbox
unset key
unset grid
unset border
set tics scale 0
shade(over) = over >= 4 ? 1 : log(over) / log(4)
told_over(over) = over < 1.005 ? "best" : over < 9.95 ? sprintf("%.2f", over) : sprintf("%.0f", over)
set xrange [0.5 : words(column_values) + 0.5]
set yrange [words(line_values) + 0.5 : 0.5]
set xtics () font "," . small
set ytics () font "," . small
do for [i = 1:words(column_values)] { set xtics add (freed(word(column_values, i)) i) }
do for [i = 1:words(line_values)] { set ytics add (line_words(word(line_values, i)) i) }
set multiplot
do for [p = 1:panels] {
  set lmargin at screen (wide * ((p - 1) % columns) + 72) / 720
  set rmargin at screen (wide * ((p - 1) % columns + 1) - 10) / 720
  set tmargin at screen 1 - (64 + part_high * ((p - 1) / columns)) / tall
  set bmargin at screen 1 - (64 + part_high * ((p - 1) / columns) + high * words(line_values)) / tall
  set label 997 (panels > 1 ? freed(word(panel_names, 2 * p - 1)) : "") at graph 0, graph 1 left offset 0,0.7 font "," . small
  set xlabel column_name font "," . small offset 0,0.5
  if ((p - 1) % columns == 0) { set label 995 line_name at screen 12.0 / 720, graph 0.5 center rotate by 90 font "," . small } else { unset label 995 }
  set label 994 (p == 1 ? "time over the best of its line" : "") at screen 0.985, screen 12 / tall right font "," . tiny textcolor rgb "#555555"
  here = part_of_data(panel_names, 2, 2, p)
  all_of_panel = here . ' using 1:2:($1 - 0.48):($1 + 0.48):($2 - 0.46):($2 + 0.46):(shade($3)) with boxxyerror fillstyle solid 1 noborder linecolor palette title freed(word(panel_names, 2 * p - 1)), ' \
    . here . ' using 1:2:(told_over($3)):(shade($3) > 0.6 ? 0xFFFFFF : 0) with labels font "," . tiny textcolor rgb variable notitle'
  load "scripts/figures/panel.gp"
}
unset multiplot
