# The rungs in percent of something, the best on top: at the largest size, as dots with intervals, and at
# others. at: FROM and WHERE of rows with name, n, time_s, low_s, high_s, too_wide and the column percent; of:
# what 100 is; n_is, n_words and n_note, if n is no extent: the words for a size in a title, and at a point.
# Shows the GPU's variants; without a GPU the CPU's.
if (!exists("n_words")) { n_is = "n = "; n_words = k_of("n"); n_note = "'n = ' || n" }
# Where fewer than two rungs have a steady limit at the largest size, they stand in percent of the fastest.
unsteady = percent eq "roof_percent" && int(number("SELECT count(roof_percent) " . at . " AND n = (SELECT max(n) " . at . ")")) < 2
if (unsteady) { of = "the speed of the fastest"; percent = "100.0" }
at = at . " AND " . percent . " IS NOT NULL"
at = at . sprintf(" AND on_gpu = %d", int(number("SELECT max(on_gpu) " . at)))
# GPUs of one name differ by some percent, and so do their roofs. The smallest roof of a point counts, so that
# a slower rung never has a larger share.
at = "FROM (SELECT *, min(" . percent . " * time_s) OVER (PARTITION BY n) / time_s AS share " . at . ") WHERE 1"
percent = "share"
largest = "(SELECT max(n) FROM (SELECT n, count(*) AS c " . at . " GROUP BY n) WHERE c > 1)"
rows = "SELECT * FROM (SELECT 'share of " . of . "' AS panel, '" . n_is . "' || " . n_words . " || iif(too_wide, ', interval too wide to quote', '') AS series, name, " . percent . " AS x, iif(too_wide, NULL, " . percent . " * time_s / high_s) AS low, iif(too_wide, NULL, " . percent . " * time_s / low_s) AS high, '%' AS unit, tunables AS note, NULL AS look " . at . " AND n = " . largest . " ORDER BY x DESC)" \
  . " UNION ALL SELECT 'share of " . of . "', 'other sizes', name, " . percent . ", NULL, NULL, '%', " . n_note . ", 20 " . at . " AND n <> " . largest . " AND name IN (SELECT name " . at . " AND n = " . largest . ")"
level = 100
# Titles say who is the fastest as those of times do: intervals that overlap do not tell.
as_good = unsteady ? " OR n = " . largest . " AND " . percent . " * time_s / low_s >= b.best * b.time_s / b.high_s" : ""
found = list("SELECT " . bound("name") . " || ' ' || printf('%.0f', " . percent . ") || ' ' || (SELECT count(*) " . at . " AND n = " . largest . " AND " . percent . " >= 0.98 * b.best" . as_good . ") || ' ' || " . bound(n_words) . " FROM (SELECT *, max(" . percent . ") AS best " . at . " AND n = " . largest . ") b")
if (words(found) == 4) {
  size = freed(word(found, 4))
  finding = int(word(found, 3)) > 1 ? sprintf("%s rungs reach %s %% of %s at %s, or nearly so", word(found, 3), word(found, 2), of, size) : \
      sprintf("%s alone reaches %s %% of %s at %s", freed(word(found, 1)), word(found, 2), of, size)
  if (unsteady) {
    others = int(word(found, 3)) - 1
    finding = sprintf("%s %s the fastest at %s; the limits were not steady", \
        freed(word(found, 1)) . (others > 1 ? sprintf(" and %d others", others) : others > 0 ? " and another" : ""), others > 0 ? "are" : "is", size)
  }
}
load "scripts/figures/dots.gp"
