# Times, or rates, of every variant against size, with the roofs and a report's published values:
#   view     its rows: name, n, time_s, low_s, high_s, tunables, on_gpu
#   roof_s   SQL of the time that the roof allows; roof_of: " of float" if curves of another type may pass it
#   is_time  times, or else rates of the operations of one execution: flops, as SQL
#   note     SQL of what belongs to a point beside its numbers; tunables if it is not set
#   theirs   SQL of name, n, time_s; published: the title of that panel
# and the variables that curves.gp needs.
of(time) = is_time ? time : flops . " / (" . time . ")"
if (!exists("units")) { units = "on_gpu" }
if (!exists("note")) { note = "tunables" }
if (!exists("roof_of")) { roof_of = "" }
rows = "SELECT " . device . " AS panel, name AS curve, n AS x, " . of("time_s") . " AS y, " . of("low_s") . " AS low, " . of("high_s") . " AS high, " . note . " AS note, NULL AS look FROM " . view \
  . " UNION ALL SELECT " . device . ", CASE " . units . " WHEN 0 THEN 'limit" . roof_of . ", CPU' WHEN 1 THEN 'limit" . roof_of . ", GPU' ELSE 'limit, tensor' END, n, " . of("min(" . roof_s . ")") . ", NULL, NULL, NULL, 21 + " . units . " FROM " . view . " AND " . roof_s . " IS NOT NULL GROUP BY n, " . units \
  . (theirs eq "" ? "" : " UNION ALL SELECT '" . published . "', name, n, " . of("time_s") . ", NULL, NULL, NULL, 20 FROM (" . theirs . ") WHERE n IN (SELECT n FROM " . view . ")")
y_name = is_time ? "time" : "performance"
y_unit = is_time ? "s" : "flop/s"
if (!exists("x_kind")) { x_kind = "size" }
load "scripts/figures/curves.gp"
