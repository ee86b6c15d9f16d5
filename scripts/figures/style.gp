# The look of every figure, and the command that draws one:
#   gnuplot -c scripts/figures/style.gp PROGRAM DATABASE NAME svg|png OUT FIGURE.gp FACTS
# A figure sets title, axes and series, and may use the functions below. For an SVG the file FACTS gets the
# rows that were drawn, for titles.awk.
program = ARG1
database = ARG2
name = ARG3
format = ARG4
out = ARG5
figure = ARG6
facts = ARG7
set encoding utf8

# At half the width of a landscape page the smallest print is 6 points high. pngcairo counts fonts in points,
# svg in pixels. canvas(height): sets the height of a figure, in pixels of an SVG.
canvas(height) = format eq "svg" ? \
    sprintf('set terminal svg size 720,%d font "DejaVu Sans,15" linewidth 1.2 background rgb "white" noenhanced; set output out', height) : \
    sprintf('set terminal pngcairo size 1440,%d font "DejaVu Sans,11.25" fontscale 2 linewidth 2.4 pointscale 2 background rgb "white" noenhanced; set output out', 2 * height)
eval canvas(480)
small = (format eq "svg") ? "12.5" : "9.4"
tiny = (format eq "svg") ? "12" : "9"

# ---- data ----------------------------------------------------------------------------------------
set datafile separator tab
# gnuplot starts programs through a shell: this makes each argument one word there, whatever it contains.
escaped(s) = strstrt(s, "'") == 0 ? s : \
    substr(s, 1, strstrt(s, "'") - 1) . "'\\''" . escaped(substr(s, strstrt(s, "'") + 1, strlen(s)))
word_of(s) = " '" . escaped(s) . "'"
asked(sql) = word_of(program) . " query" . word_of(database) . word_of(sql)
# The result of an SQL query, as words.
list(sql) = system(asked(sql))
# Each question takes time, and a figure for the screen is drawn twice: `eval keep` puts what `rows_to_keep`
# selects into $data, from which part_of_data() takes the rows of the i-th of several parts. How many rows
# each has is word `at` of every `width` words of a list.
keep = 'set print $data; print list(rows_to_keep); if (format eq "svg") { set print facts } else { set print }'
rows_before(parts, width, at, i) = i == 1 ? 0 : rows_before(parts, width, at, i - 1) + int(word(parts, width * (i - 2) + at))
part_of_data(parts, width, at, i) = sprintf("$data every ::%d::%d", rows_before(parts, width, at, i), rows_before(parts, width, at, i + 1) - 1)
# Names as words of a list: blanks would split them, so they are encoded on the way.
bound(column) = "replace(" . column . ", ' ', char(31))"
freed(s) = strstrt(s, "\037") == 0 ? s : s[1:strstrt(s, "\037") - 1] . " " . freed(s[strstrt(s, "\037") + 1:*])
number(sql) = list("SELECT ifnull((" . sql . "), 0)") + 0.0
# The line printed for a figure without records; the figure then ends with exit status 3.
missing(run) = sprintf("  skip  %s: no records of %s", name, run)

# ---- series: colour (Okabe-Ito), dash and point all differ, so that any one of them is enough ----
# (each with a contrast to white of at least 3)
array colours[7] = [0x000000, 0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0x6A51A3, 0x9A7200]
array points[14] = [5, 7, 9, 13, 11, 15, 4, 6, 8, 12, 10, 14, 2, 1]
do for [i = 1:14] {
  dash = (i - 1) % 4 + 1
  set linetype i linecolor rgb colours[(i - 1) % 7 + 1] dashtype dash linewidth 1.6 \
      pointtype points[i] pointsize 0.8
}
# A variant, "cuda/naive" or "naive", has the same colour, dash and point in all figures of its workload, by
# its place on the ladder: linetype look_of(its name, i). Variants known only from records come last.
do for [i = 1:28] {
  dash = (i - 1) % 4 + 1
  set linetype 30 + i linecolor rgb colours[(i - 1) % 7 + 1] dashtype dash linewidth 1.6 \
      pointtype points[(i - 1) % 14 + 1] pointsize 0.8
}
ladder = "FROM variants WHERE workload IN (SELECT workload FROM records)"
# Workloads, a line of its own, and variants: each process that is asked takes time.
all_names = list("SELECT name FROM (SELECT 1 AS part, 0 AS place, name FROM workloads" \
  . " UNION SELECT 2, 0, workload FROM records WHERE workload NOT IN (SELECT name FROM workloads)" \
  . " UNION ALL SELECT 3, 0, '|' UNION ALL SELECT 4, rowid, name " . ladder \
  . " UNION ALL SELECT DISTINCT 5, 0, backend || '/' || variant AS own FROM records WHERE own NOT IN (SELECT name " . ladder . "))" \
  . " ORDER BY part, place, name")
all_workloads = all_names[1:strstrt(all_names, "|") - 1]
all_variants = all_names[strstrt(all_names, "|") + 1:*]
is_of(whole, name) = whole eq name || (strstrt(name, "/") == 0 && whole[strstrt(whole, "/") + 1:*] eq name)
rank(name) = sum [r = 1:words(all_variants)] (is_of(word(all_variants, r), name) ? r : 0)
# So does a workload in figures that compare workloads: its place among all decides, whichever ones an
# experiment has.
place_of(workload) = sum [w = 1:words(all_workloads)] (word(all_workloads, w) eq workload ? w : 0)
# Any other name has the i-th look.
look_of(name, i) = rank(name) > 0 ? 31 + (rank(name) + 27) % 28 : place_of(name) > 0 ? 30 + place_of(name) : i
shape_of(name) = points[(rank(name) + 13) % 14 + 1]
shape(i) = points[(int(i) + 13) % 14 + 1]
# 20: the source report's numbers; 21, 22, 23: the roofs of the host, of the GPU, of its tensor cores.
set linetype 20 linecolor rgb 0x777777 dashtype 3 linewidth 1.2 pointtype 3 pointsize 1.1
set linetype 21 linecolor rgb 0x000000 dashtype 2 linewidth 2.4 pointtype 0
set linetype 22 linecolor rgb 0x000000 dashtype 1 linewidth 2.4 pointtype 0
set linetype 23 linecolor rgb 0x000000 dashtype 3 linewidth 2.4 pointtype 0

# In SQL: a device, and a size in the form of k.
device = "CASE on_gpu WHEN 1 THEN 'GPU' ELSE 'CPU' END"
k_of(n) = "CASE WHEN " . n . " % 1024 = 0 THEN (" . n . " / 1024) || 'K' ELSE " . n . " END"

# For rows as curves.gp has them: the largest ratio to the curve at level 1, on the GPU if there is one.
most_of(rows, than, from) = list("WITH r AS (SELECT * FROM (" . rows . sprintf(") WHERE x >= %d) ", from) \
  . "SELECT curve || printf(' is up to %.3g times as fast as " . than . "', max(y)) FROM r WHERE panel LIKE CASE (SELECT max(panel LIKE 'GPU%') FROM r) WHEN 1 THEN 'GPU%' ELSE '%' END HAVING count(*) > 0")

# ---- axes ----------------------------------------------------------------------------------------
set border 3 linecolor rgb "#444444"
set tics nomirror out scale 0.6 textcolor rgb "black"
set grid xtics ytics linecolor rgb "#cccccc" linewidth 0.7 dashtype 1
set errorbars 0.5
# A label over a curve hides it.
set style textbox opaque noborder fillcolor rgb "white" margins 0.3,0.1
# Figures place names themselves.
set key left top vertical Left reverse samplen 1.6 spacing (format eq "svg" ? 0.8 : 1.05) font "," . small noautotitle

# gnuplot does not read an exponent without a point, 3e-05, as a number.
three(v) = sprintf("%g", real(sprintf("%.2e", v)))
# Sizes as the report writes them: 7168 is 7K.
k(n) = (int(n) % 1048576 == 0) ? sprintf("%dM", int(n) / 1048576) : (int(n) % 1024 == 0 && n < 1e6) ? sprintf("%dK", int(n) / 1024) : \
    n >= 1e6 ? three(n / 1e6) . "e6" : sprintf("%d", int(n))

# ---- provenance in small print -------------------------------------------------------------------
provenance(device) = list("SELECT machine || ' · ' || coalesce(" . device . ", cpu, '?') || ' · ' || " \
  . "substr(date, 1, 10) || ' · commit ' || coalesce([commit], '?') FROM records ORDER BY date DESC LIMIT 1")
set label 1000 font "," . tiny textcolor rgb "#555555"

# ---- texts of the points of an SVG ----------------------------------------------------------------------
bytes_text(b) = b >= 2 ** 30 ? three(b / 2.0 ** 30) . " GiB" : b >= 2 ** 20 ? three(b / 2.0 ** 20) . " MiB" : \
    three(b / 2.0 ** 10) . " KiB"
# A figure may describe the place of a point in its own words. Times and rates get the prefix that they need.
x_words(x) = three(x)
y_unit = ""
is_si(unit) = strstrt(" s flop/s B/s J W ", " " . unit . " ") > 0
si(v) = v >= 0.9995e12 ? three(v / 1e12) . " T" : v >= 0.9995e9 ? three(v / 1e9) . " G" : v >= 0.9995e6 ? three(v / 1e6) . " M" : \
    v >= 0.9995e3 ? three(v / 1e3) . " k" : v >= 0.9995 || v <= 0 ? three(v) . " " : v >= 0.9995e-3 ? three(v * 1e3) . " m" : \
    v >= 0.9995e-6 ? three(v * 1e6) . " µ" : three(v * 1e9) . " n"
# On an axis a one-letter unit stands at the ticks, any other at the name of the axis.
axis_format(unit) = !is_si(unit) ? "%g" : strlen(unit) == 1 ? "%.0s %c" . unit : "%.0s %c"
named(axis, unit) = strlen(unit) < 2 && unit ne "%" ? axis : sprintf("%s (%s)", axis, unit)
y_words(y) = is_si(y_unit) ? si(y) . y_unit : three(y) . (y_unit eq "" ? "" : " " . y_unit)
# SQL of the tunables that belong to a point, as (name in the key, x, text), shown when the mouse rests on it.
notes = ""
# The text of a point at x and y of a panel.
point_words(x, y) = x_words(x) . ", " . y_words(y)
if (format eq "svg") { set print facts }

load figure

if (format eq "svg") {
  unset output
  if (strlen(notes) > 0) { print list("SELECT 'note', * FROM (" . notes . ")") }
  set print
}
