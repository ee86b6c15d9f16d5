# Curves, in one panel or in small multiples. A figure sets
#   rows     SQL of the points: panel, curve, x, y, low, high, note, look. note: text of a point beside its
#            numbers; look: NULL, or a linetype for curves that are not ours (20: published, 21 to 23: roofs)
#   run      the run that makes them
#   subject  how its title begins; finding: how it ends, or else the leader is found here
#   y_name, y_unit (s, flop/s, B/s, %, or a word), x_name, x_kind (size, bytes, steps, blocks)
# and, as needed: apart = 1 (panels even for nine curves or fewer), linear = 1 and y_least (of the y axis),
# level and level_name (a line across), alone = 1 (points without lines), loose (SQL: which points stand
# alone). No panel has more than nine curves; one with more is divided, in the order of the curves' ends.
# Names stand at these ends, too. Among sizes closer than 6 % the roundest is in the line, the others stand
# alone.
if (!exists("apart")) { apart = 0 }
if (!exists("linear")) { linear = 0 }
if (!exists("alone")) { alone = 0 }
if (!exists("y_least")) { y_least = NaN }
is_size = (x_kind eq "size")
low_is_good = (y_unit eq "s")

most_curves = 9
given = "SELECT *, row_number() OVER () AS place FROM (" . rows . ")"
near = "SELECT 1 FROM given o WHERE o.panel = g.panel AND o.curve = g.curve AND o.x BETWEEN g.x / 1.06 AND g.x * 1.06 AND (CAST(o.x AS INT) & -CAST(o.x AS INT)) > (CAST(g.x AS INT) & -CAST(g.x AS INT))"
if (!exists("loose")) { loose = is_size || x_kind eq "bytes" ? "EXISTS (" . near . ")" : "0" }
# Each curve with its panel p and its number c there, from the top; at: where it ends.
drawn = "WITH given AS (" . given . "), " \
  . "known AS (SELECT panel, curve, x, y, min(ifnull(low, y), ifnull(high, y)) AS low, max(ifnull(low, y), ifnull(high, y)) AS high, note, look, place, " \
  . loose . " AS loose FROM given g WHERE y IS NOT NULL), " \
  . "many AS (SELECT count(DISTINCT curve || panel) > " . most_curves . sprintf(" OR %d AS many FROM known), ", apart) \
  . "put AS (SELECT CASE WHEN many THEN panel ELSE '' END AS panel, curve || CASE WHEN look = 20 AND NOT many AND panel LIKE 'published%' AND curve NOT LIKE '%published%' THEN ', published' ELSE '' END AS curve, x, y, low, high, note, look, place, loose FROM known, many), " \
  . "last AS (SELECT panel, curve, look, max(x - 1e-3 * loose * x) AS end_x, y AS at FROM put GROUP BY panel, curve), " \
  . "firsts AS (SELECT panel, curve, min(place) AS place FROM put GROUP BY panel, curve), " \
  . "counted AS (SELECT l.*, f.place, look >= 21 IS TRUE AS shared, min(f.place) OVER (PARTITION BY panel) AS panel_place, " \
  . "sum(look >= 21 IS TRUE) OVER (PARTITION BY panel) AS roofs, sum(look >= 21 IS NOT TRUE) OVER (PARTITION BY panel) AS own " \
  . "FROM last l JOIN firsts f USING (panel, curve)), " \
  . "sliced AS (SELECT *, (own + " . most_curves . " - roofs - 1) / (" . most_curves . " - roofs) AS parts, " \
  . "row_number() OVER (PARTITION BY panel, shared ORDER BY at DESC) - 1 AS number FROM counted), " \
  . "parted AS (SELECT *, CASE WHEN parts > 1 THEN number / ((own + parts - 1) / parts) ELSE 0 END AS part FROM sliced), " \
  . "whole AS (SELECT DISTINCT a.panel, a.panel_place, a.parts, b.part, a.curve, a.look, a.end_x, a.at, a.place FROM parted a JOIN " \
  . "(SELECT DISTINCT panel, part FROM parted WHERE NOT shared) b ON b.panel = a.panel AND (a.shared OR a.part = b.part)), " \
  . "curves AS (SELECT *, dense_rank() OVER (ORDER BY panel_place, part) AS p, dense_rank() OVER (ORDER BY curve_place) AS kind, " \
  . "row_number() OVER (ORDER BY panel_place, part, at DESC) AS c FROM " \
  . "(SELECT *, min(place) OVER (PARTITION BY curve) AS curve_place FROM whole)) "


of_curves = list(drawn . "SELECT c.p, count(*) + sum(loose), ifnull(c.look, 0), c.kind, printf('%.9e', c.at), " . bound("c.curve") . " FROM curves c JOIN put USING (panel, curve) GROUP BY c.c ORDER BY c.c")
curves = words(of_curves) / 6
if (curves == 0) { print missing(run); exit status 3 }
# Each panel with its limits, and those of all along x.
of_panels = list(drawn . "SELECT " . bound("CASE WHEN panel = '' THEN '-' WHEN parts = 1 THEN panel WHEN parts > 2 THEN panel || ', ' || (part + 1) || ' of ' || parts WHEN part = " . (low_is_good ? 1 : 0) . " THEN panel || ': the faster' ELSE panel || ': the slower' END") \
  . ", printf('%.9e', min(low)), printf('%.9e', max(high)), (SELECT min(x) FROM put), (SELECT max(x) FROM put) FROM curves c JOIN put USING (panel, curve) GROUP BY p ORDER BY p")
panels = words(of_panels) / 5
rows_to_keep = drawn . "SELECT x, y, low, high FROM (SELECT c, x, y, low, high, loose, 1 AS behind FROM curves JOIN put USING (panel, curve) " \
  . "UNION ALL SELECT c, x, 'NaN', 'NaN', 'NaN', loose, 0 FROM curves JOIN put USING (panel, curve) WHERE loose) ORDER BY c, loose, x, behind"
eval keep

fact(c, i) = word(of_curves, 6 * (c - 1) + i)
panel_of(c) = int(fact(c, 1))
look(c) = int(fact(c, 3)) > 0 ? int(fact(c, 3)) : look_of(fact(c, 6), int(fact(c, 4)))
name_of(c) = freed(fact(c, 6))
rows_of(c) = part_of_data(of_curves, 6, 2, c)
notes = drawn . "SELECT curve, x, note FROM put WHERE note IS NOT NULL"

# ---- the title ----
if (x_kind eq "bytes") { x_words(x) = bytes_text(x) }
if (is_size) { x_words(x) = k(x) }
said_x(x) = (is_size || x_kind eq "bytes" ? "" : x_name . " ") . x_words(x)
leads = drawn . ", mine AS (SELECT * FROM put WHERE look IS NULL), at_end AS (SELECT curve, x, y, low, high, row_number() OVER (ORDER BY y" . (low_is_good ? "" : " DESC") . ") AS rank FROM mine WHERE NOT loose AND x = " \
  . "(SELECT max(x) FROM (SELECT x FROM mine WHERE NOT loose GROUP BY x HAVING count(DISTINCT curve) > 1))) "
if (!exists("finding")) {
  leader = list(leads . "SELECT " . bound("a.curve") . ", a.x, printf('%.9e', CASE WHEN b.y > a.y THEN b.y / a.y ELSE a.y / b.y END), " \
    . "(SELECT count(*) FROM at_end t WHERE t.rank > 1 AND (t.low <= a.high AND t.high >= a.low OR abs(t.y / a.y - 1) < 0.01)), " . bound("b.curve") . ", printf('%.9e', a.y) " \
    . "FROM at_end a JOIN at_end b ON a.rank = 1 AND b.rank = 2")
  first_of_ties = words(leader) == 0 ? "" : freed(word(leader, 1))
  finding = words(leader) == 0 ? y_name . " against " . x_name : \
      y_unit eq "%" ? sprintf("%s reaches %.0f %% at %s", first_of_ties, real(word(leader, 6)), said_x(real(word(leader, 2)))) : \
      int(word(leader, 4)) > 1 ? sprintf("%s and %d others are the fastest at %s", first_of_ties, int(word(leader, 4)), said_x(real(word(leader, 2)))) : \
      int(word(leader, 4)) > 0 ? sprintf("%s and %s are the fastest at %s", first_of_ties, freed(word(leader, 5)), said_x(real(word(leader, 2)))) : \
      sprintf("%s is the fastest at %s, %s times as fast as %s", first_of_ties, said_x(real(word(leader, 2))), sprintf("%.3g", real(word(leader, 3))), freed(word(leader, 5)))
}

# ---- where the panels stand, in pixels ----
longest = 0
do for [c = 1:curves] { if (strlen(name_of(c)) > longest) { longest = strlen(name_of(c)) } }
# A curve that is alone in its panel has its name above it.
count_in(p) = sum [c = 1:curves] (panel_of(c) == p ? 1 : 0)
most_in_one = 0
do for [p = 1:panels] { if (count_in(p) > most_in_one) { most_in_one = count_in(p) } }
names_beside = most_in_one > 1 || panels == 1 ? 44 + 7.6 * longest : 8
columns = panels == 1 ? 1 : panels > 4 && names_beside < 90 ? 3 : 2
lines = (panels + columns - 1) / columns
line_tall = lines == 1 ? 270.0 : 224.0
tall = panels == 1 ? 480.0 : 102.0 + line_tall * lines
eval canvas(tall)
wide = 720.0 / columns
left_of(p) = wide * ((p - 1) % columns) + (columns < 3 ? 80 : 68)
right_of(p) = wide * ((p - 1) % columns + 1) - (panels > 1 && count_in(p) == 1 ? 12 : names_beside) - 4
over(p) = panels == 1 ? 48.0 : 66.0 + line_tall * ((p - 1) / columns)
under(p) = panels == 1 ? tall - 90 : over(p) + line_tall - 68

# ---- axes ----
end_of(p, which) = real(word(of_panels, 5 * p - 3 + which))
x_low = real(word(of_panels, 4))
x_high = real(word(of_panels, 5))
set xtics () font "," . small offset 0,0.35
set ytics font "," . small
if (x_kind eq "blocks") {
  set xrange [0 : x_high * 1.03]
  step = x_high > 600 ? 256 : columns > 1 ? 128 : 64
  set xtics autofreq
  set xtics step
} else {
  x_room = x_kind eq "bytes" ? 1.5 : 1.12
  set logscale x 2
  set xrange [x_low / x_room : x_high * x_room]
  octave = (wide - left_of(1) - names_beside) / log(x_high * x_room * x_room / x_low) * log(2)
  ticks = x_kind eq "bytes" ? "" : list(drawn . "SELECT DISTINCT x FROM put WHERE NOT loose ORDER BY " . (is_size ? "x & -x DESC, x DESC" : "x"))
  if (x_kind eq "bytes") { do for [i = 0:20] { ticks = ticks . sprintf(" %.0f", 2.0 ** (i < 11 ? 4 * i : 4 * i - 42)) } }
  # The roundest first; a tick without room for its label is left out.
  array placed[100]
  count_placed = 0
  room_of(x) = (3.9 * strlen(x_words(x)) + 3) / octave
  clashes(x) = count_placed == 0 ? 0 : sum [t = 1:count_placed] (abs(log(x / placed[t]) / log(2)) < room_of(x) + room_of(placed[t]))
  do for [t in ticks] {
    x = real(t)
    if (x >= x_low / x_room && x <= x_high * x_room && count_placed < 100 && clashes(x) == 0) {
      count_placed = count_placed + 1
      placed[count_placed] = x
      set xtics add (x_words(x) x)
    }
  }
}

# ---- each panel: the names at the curves' ends, apart from each other ----
array name_at[curves]
set multiplot
do for [p = 1:panels] {
  set lmargin at screen left_of(p) / 720
  set rmargin at screen right_of(p) / 720
  set tmargin at screen 1 - over(p) / tall
  set bmargin at screen 1 - under(p) / tall
  y_low = end_of(p, 0)
  y_high = end_of(p, 1)
  if (exists("level")) { y_low = level < y_low ? level : y_low; y_high = level > y_high ? level : y_high }
  if (linear) {
    y_from = y_least < y_low ? y_least : y_low
    y_to = y_high + 0.06 * (y_high - y_from)
    set yrange [y_from : y_to]
    set format y axis_format(y_unit)
  } else {
    load "scripts/figures/log-y.gp"
  }
  height(y) = linear ? (y - y_from) / (y_to - y_from) : log(y / y_from) / log(y_to / y_from)
  first_c = 0
  do for [c = 1:curves] { if (panel_of(c) == p && first_c == 0) { first_c = c } }
  last_c = first_c + count_in(p) - 1
  line_high = panels == 1 ? 17.0 : 15.0
  do for [c = first_c:last_c] {
    wanted = under(p) - (under(p) - over(p)) * height(real(fact(c, 5)))
    name_at[c] = c > first_c && wanted < name_at[c - 1] + line_high ? name_at[c - 1] + line_high : wanted
  }
  do for [i = 0:last_c - first_c] {
    c = last_c - i
    lowest = i == 0 ? under(p) : name_at[c + 1] - line_high
    if (name_at[c] > lowest) { name_at[c] = lowest }
  }
  panel_name = word(of_panels, 5 * p - 4) eq "-" ? "" : freed(word(of_panels, 5 * p - 4))
  if (count_in(p) == 1 && strstrt(name_of(first_c), panel_name) == 1) { panel_name = "" }
  if (count_in(p) == 1 && panels > 1) {
    name_at[first_c] = over(p) - 12
    set label 997 panel_name at screen (left_of(p) + 40 + 8 * strlen(name_of(first_c))) / 720, screen 1 - (over(p) - 12) / tall left font "," . small
  } else {
    set label 997 panel_name at screen left_of(p) / 720, screen 1 - (over(p) - 12) / tall left font "," . small
  }
  name_x(c) = (count_in(p) == 1 && panels > 1 ? left_of(p) + 28 : right_of(p) + 38) / 720.0
  if ((p - 1) % columns == 0) { set label 995 named(y_name, y_unit) at screen 12.0 / 720, screen 1 - (over(p) + under(p)) / 2 / tall center rotate by 90 font "," . small } else { unset label 995 }
  set xlabel (p > panels - columns ? x_name : "") font "," . small offset 0,0.4
  if (exists("level_name")) { set label 996 level_name at graph 0.02, first level left offset 0,(height(level) > 0.85 ? -0.6 : 0.5) font "," . tiny textcolor rgb "#555555" boxed front }

  all_of_panel = ""
  do for [c = first_c:last_c] {
    in_place = sprintf("title name_of(%d) at screen name_x(%d), screen 1 - name_at[%d] / tall", c, c, c)
    how = look(c) > 20 && look(c) < 30 ? sprintf("using 1:2 with lines linetype %d ", look(c)) : \
        look(c) == 20 ? sprintf("using 1:2 with linespoints linetype 20 pointtype %d pointsize 0.7 ", rank(name_of(c)) > 0 ? shape_of(name_of(c)) : shape(int(fact(c, 4)))) : \
        sprintf("using 1:2:3:4 with %s linetype %d %s pointsize %.2f linewidth %.1f ", alone ? "yerrorbars" : "yerrorlines", look(c), alone ? "dashtype 1" : "", panels == 1 ? 0.8 : 0.6, alone ? 0.7 : 1.4)
    all_of_panel = all_of_panel . (c > first_c ? ", " : "") . rows_of(c) . " " . how . in_place
  }
  if (exists("level")) { all_of_panel = all_of_panel . ", level with lines linetype 22 linewidth 1 notitle" }
  load "scripts/figures/panel.gp"
}
unset multiplot
