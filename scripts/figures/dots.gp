# Names in lines, with measured values across as dots with intervals, in one panel or several side by side. A
# figure sets
#   rows     SQL of the dots, in the order of the names from the top: panel, series, name, x, low, high, unit,
#            note, look (NULL, or 20: the small grey ones)
#   run, subject, finding; as needed level: a line across the first panel, and x_least: where its axis
#   begins, if not at 0; series_at: a column of rows that orders the series, if not by their first dots
# A panel with one series shows its name; several have their names above.
if (!exists("series_at")) { series_at = "place" }
given = "SELECT *, row_number() OVER () AS place FROM (" . rows . ")"
dots = "WITH given AS (" . given . "), kept AS (SELECT *, min(ifnull(low, x), ifnull(high, x)) AS least, max(ifnull(low, x), ifnull(high, x)) AS most, min(place) OVER (PARTITION BY name) AS name_place, " \
  . "min(place) OVER (PARTITION BY panel) AS panel_place, min(" . series_at . ") OVER (PARTITION BY panel, series) AS series_place FROM given WHERE x IS NOT NULL), " \
  . "dots AS (SELECT *, dense_rank() OVER (ORDER BY name_place) AS l, dense_rank() OVER (ORDER BY panel_place) AS p, dense_rank() OVER (ORDER BY panel_place, series_place) AS s FROM kept) "
names = list(dots . "SELECT " . bound("name") . " FROM dots GROUP BY l ORDER BY l")
if (words(names) == 0) { print missing(run); exit status 3 }
if (!exists("finding")) {
  first_of_all = list(dots . "SELECT " . bound("name") . ", printf('%.9e', x), unit FROM dots WHERE p = 1 AND look IS NULL ORDER BY x DESC LIMIT 1")
  finding = sprintf("%s reaches %.0f %s", freed(word(first_of_all, 1)), real(word(first_of_all, 2)), word(first_of_all, 3))
}
of_panels = list(dots . "SELECT " . bound("panel") . ", " . bound("ifnull(nullif(max(unit), ''), '-')") . ", printf('%.9e', min(least)), printf('%.9e', max(most)), count(DISTINCT s) FROM dots GROUP BY p ORDER BY p")
of_series = list(dots . "SELECT p, " . bound("series") . ", ifnull(max(look), 0), count(*) FROM dots GROUP BY s ORDER BY s")
panels = words(of_panels) / 5
series = words(of_series) / 4
rows_to_keep = dots . "SELECT x, l, least, most FROM dots ORDER BY s, l, x"
eval keep
longest = 0
do for [name in names] { if (strlen(name) > longest) { longest = strlen(name) } }
beside = 24 + 7.6 * longest
wide = (720.0 - beside) / panels
tall = 164.0 + 24 * words(names)
eval canvas(tall)
notes = dots . "SELECT series, x, note FROM dots WHERE note IS NOT NULL"
name_of(l) = freed(word(names, int(l + 0.5)))
set yrange [words(names) + 0.5 : 0.5]
set xtics font "," . small offset 0,0.3
point_words(x, y) = name_of(y) . ", " . y_words(x)
tick_words(x) = x == 0 ? "0" : is_si(y_unit) ? si(x) . (strlen(y_unit) == 1 ? y_unit : "") : three(x)
key_width(s) = 46 + 7.2 * strlen(freed(word(of_series, 4 * s - 2)))
keys = beside + 30
all_keys = 0
do for [s = 1:series] { all_keys = all_keys + key_width(s) }
if (keys + all_keys > 720) { keys = all_keys < 700 ? 720 - all_keys : 20 }
set multiplot
do for [p = 1:panels] {
  panel_name = freed(word(of_panels, 5 * p - 4))
  y_unit = word(of_panels, 5 * p - 3) eq "-" ? "" : word(of_panels, 5 * p - 3)
  x_low = real(word(of_panels, 5 * p - 2))
  x_high = real(word(of_panels, 5 * p - 1))
  alone = int(word(of_panels, 5 * p)) == 1
  set lmargin at screen (beside + wide * (p - 1) + 8) / 720
  set rmargin at screen (beside + wide * p - 24) / 720
  set tmargin at screen 1 - 74 / tall
  set bmargin at screen 90 / tall
  set ytics () font "," . small
  do for [l = 1:words(names)] { set ytics add ((p == 1 ? name_of(l) : "") l) }
  unset logscale x
  set xtics ()
  if (x_low > 0 && y_unit ne "%" && x_high > 100 * x_low) {
    set logscale x 10
    set xrange [x_low / 1.5 : x_high * 1.5]
    do for [power = floor(log10(x_low)):ceil(log10(x_high)):(x_high > 1e4 * x_low ? 2 : 1)] { set xtics add (tick_words(10.0 ** power) 10.0 ** power) }
  } else {
    x_from = exists("x_least") ? x_least : 0
    x_to = exists("level") && p == 1 && level > x_high ? level : x_high
    set xrange [x_from == 0 ? 0 : x_from - 0.04 * (x_to - x_from) : x_from == 0 ? x_to * 1.04 : x_to + 0.04 * (x_to - x_from)]
    rough = (x_to - x_from) / (wide > 300 ? 6 : 3)
    power = 10 ** floor(log10(rough))
    step = rough / power > 5 ? 10 * power : rough / power > 2 ? 5 * power : 2 * power
    do for [t = floor(x_from / step):floor(x_from / step) + 8] { set xtics add (tick_words(t * step) t * step) }
  }
  set xlabel named(panel_name, y_unit) font "," . small offset 0,0.4
  unset arrow
  if (exists("level") && p == 1) { set arrow from first level, graph 0 to first level, graph 1 nohead linetype 22 linewidth 1.2 back }
  all_of_panel = ""
  do for [s = 1:series] {
    if (int(word(of_series, 4 * s - 3)) == p) {
      title_of = freed(word(of_series, 4 * s - 2))
      title_x = alone ? beside + wide * (p - 1) + 30 : keys
      if (!alone) { keys = keys + key_width(s) }
      grey = int(word(of_series, 4 * s - 1)) == 20
      all_of_panel = all_of_panel . (strlen(all_of_panel) > 0 ? ", " : "") \
        . sprintf("%s using 1:2:3:4 with xerrorbars linetype %d dashtype 1 %s title '%s' at screen %.4f, screen 1 - %f / tall", \
            part_of_data(of_series, 4, 4, s), grey ? 20 : s, grey ? "pointtype 6 pointsize 0.5 linewidth 0.6" : "pointsize 1", title_of, title_x / 720.0, alone ? 60.0 : 48.0)
    }
  }
  load "scripts/figures/panel.gp"
}
unset multiplot
