# The look of every figure, and what draws one:
#   gnuplot -c scripts/figures/style.gp PROGRAM DATABASE NAME svg|png OUT FIGURE.gp FACTS
# A figure sets title, axes and series, and may use what is below. Of an SVG the file FACTS gets the rows
# that were drawn, for titles.awk.
program = ARG1
database = ARG2
name = ARG3
format = ARG4
out = ARG5
figure = ARG6
facts = ARG7
set encoding utf8

# Half a landscape page wide the smallest print is 6 points high. pngcairo counts fonts in points, svg in pixels.
if (format eq "svg") {
  set terminal svg size 720,480 font "DejaVu Sans,15" linewidth 1.2 background rgb "white" noenhanced
} else {
  set terminal pngcairo size 1440,960 font "DejaVu Sans,11.25" fontscale 2 linewidth 2.4 pointscale 2 \
      background rgb "white" noenhanced
}
small = (format eq "svg") ? "12.5" : "9.4"
tiny = (format eq "svg") ? "12" : "9"
set output out

# ---- data ----------------------------------------------------------------------------------------
set datafile separator tab
# gnuplot starts programs by way of a shell: each argument is one word there, whatever is in it.
escaped(s) = strstrt(s, "'") == 0 ? s : \
    substr(s, 1, strstrt(s, "'") - 1) . "'\\''" . escaped(substr(s, strstrt(s, "'") + 1, strlen(s)))
word_of(s) = " '" . escaped(s) . "'"
asked(sql) = word_of(program) . " query" . word_of(database) . word_of(sql)
# What SQL finds, to be plotted, or as words. A name that came out of a record stands in no SQL: it is
# `?` there, and given apart.
query(sql) = "<" . asked(sql)
query_for(sql, text) = query(sql) . word_of(text)
list(sql) = system(asked(sql))
list_for(sql, text) = system(asked(sql) . word_of(text))
number(sql) = list("SELECT ifnull((" . sql . "), 0)") + 0.0
# The line said when a figure has no records; the figure then ends with exit status 3.
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
# A variant, "cuda/naive" or "naive", has one colour, dash and point in all figures of its workload, by its
# place on the ladder: linetype look_of(its name, i). Those that only records know come last.
do for [i = 1:28] {
  dash = (i - 1) % 4 + 1
  set linetype 30 + i linecolor rgb colours[(i - 1) % 7 + 1] dashtype dash linewidth 1.6 \
      pointtype points[(i - 1) % 14 + 1] pointsize 0.8
}
ladder = "FROM variants WHERE workload IN (SELECT workload FROM records)"
all_variants = list("SELECT name " . ladder . " ORDER BY rowid") . " " . \
    list("SELECT DISTINCT backend || '/' || variant AS name FROM records WHERE backend || '/' || variant NOT IN (SELECT name " . ladder . ") ORDER BY 1")
is_of(whole, name) = whole eq name || (strstrt(name, "/") == 0 && whole[strstrt(whole, "/") + 1:*] eq name)
rank(name) = sum [r = 1:words(all_variants)] (is_of(word(all_variants, r), name) ? r : 0)
# What is no variant has the i-th look.
look_of(name, i) = rank(name) == 0 ? i : 31 + (rank(name) + 27) % 28
shape_of(name) = points[(rank(name) + 13) % 14 + 1]
shape(i) = points[(int(i) + 13) % 14 + 1]
# 20: the source report's numbers; 21, 22, 23: the roofs of the host, of the GPU, of its tensor cores.
set linetype 20 linecolor rgb 0x777777 dashtype 3 linewidth 1.2 pointtype 3 pointsize 1.1
set linetype 21 linecolor rgb 0x000000 dashtype 2 linewidth 2.4 pointtype 0
set linetype 22 linecolor rgb 0x000000 dashtype 1 linewidth 2.4 pointtype 0
set linetype 23 linecolor rgb 0x000000 dashtype 3 linewidth 2.4 pointtype 0

# ---- axes ----------------------------------------------------------------------------------------
set border 3 linecolor rgb "#444444"
set tics nomirror out scale 0.6 textcolor rgb "black"
set grid xtics ytics linecolor rgb "#d8d8d8" linewidth 0.6 dashtype 1
set errorbars 0.5
set lmargin at screen 0.15
set rmargin at screen 0.71
set tmargin at screen 0.91
set bmargin at screen 0.20
# What does not fit beside the axes is left out by gnuplot, which takes lines of an SVG to be higher.
set key at screen 0.722, screen 0.915 left top vertical Left reverse samplen 2.6 \
    spacing (format eq "svg" ? 0.8 : 1.05) font "," . small noautotitle
set xlabel offset 0,0.4
set title offset 0,-0.3

# Sizes as the report says them: 7168 is 7K.
k(n) = (int(n) % 1024 == 0) ? sprintf("%dK", int(n) / 1024) : sprintf("%d", int(n))
# Log axis from low to high with ticks at 1, 2 and 5 of every power of ten, at 1 alone when it is
# long: call `@log_y` after setting y_low and y_high. Values in seconds read 20 µs with y_unit "s".
y_unit = ""
log_y = 'load "scripts/figures/log-y.gp"'

# ---- provenance in small print -------------------------------------------------------------------
provenance(device) = list("SELECT machine || ' · ' || coalesce(" . device . ", cpu, '?') || ' · ' || " \
  . "substr(date, 1, 10) || ' · commit ' || coalesce([commit], '?') FROM records ORDER BY date DESC LIMIT 1")
set label 1000 at screen 0.012, screen 0.025 font "," . tiny textcolor rgb "#555555"

# ---- what the points of an SVG say ---------------------------------------------------------------
# A string of an exponent without a point, 3e-05, is no number to gnuplot.
three(v) = sprintf("%g", real(sprintf("%.2e", v)))
bytes_text(b) = b >= 2 ** 30 ? three(b / 2.0 ** 30) . " GiB" : b >= 2 ** 20 ? three(b / 2.0 ** 20) . " MiB" : \
    three(b / 2.0 ** 10) . " KiB"
# A figure may say where a point stands in its own words, and the unit of its numbers where y_unit does not.
x_words(x) = three(x)
point_unit = ""
seconds_text(s) = s >= 0.9995 ? three(s) . " s" : s >= 0.9995e-3 ? three(s * 1e3) . " ms" : \
    s >= 0.9995e-6 ? three(s * 1e6) . " µs" : three(s * 1e9) . " ns"
y_words(y) = y_unit eq "s" ? seconds_text(y) : three(y) . (point_unit eq "" ? "" : " " . point_unit)
# SQL of the tunables that belong to a point, as (name in the key, x, text): for those who rest on it.
notes = ""
# A row of the table that gnuplot makes of a plot: x, y, and at its end whether it is in range.
row_in_words(row) = strlen(row) == 0 || row[1:1] eq "#" || word(row, words(row)) ne "i" ? row : \
    "point\t" . word(row, 1) . "\t" . x_words(real(word(row, 1))) . ", " . y_words(real(word(row, 2)))
# Prints the rows of the last plot.
tell_rows = 'do for [i = 1:|$rows|] { print row_in_words($rows[i]) }'
if (format eq "svg") { set print facts }

load figure

if (format eq "svg") {
  unset output
  if (!exists("told")) {
    set format "%.12e"
    set table $rows
    replot
    unset table
    eval tell_rows
  }
  if (strlen(notes) > 0) { print list("SELECT 'note', * FROM (" . notes . ")") }
  set print
}
