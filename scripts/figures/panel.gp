# Draws panel p of panels: all_of_panel, with the title (subject: finding) above the first, and origin, the
# source of the numbers, below the last. Prints the facts of the points for an SVG.
if (!exists("origin")) { origin = provenance("gpu") }
if (p == 1) {
  whole_title = subject . ": " . finding
  set label 998 (whole_title) at screen 0.5, screen 1 - 20 / tall center font "," . (strlen(whole_title) > 92 ? tiny : strlen(whole_title) > 80 ? small : "")
  if (format eq "svg") { print "title\t" . whole_title }
} else {
  unset label 998
}
set label 1000 (p == panels ? origin : "") at screen 0.012, screen 12.0 / tall offset 0, (strstrt(origin, "\n") > 0 ? 0.9 : 0)
eval "plot " . all_of_panel
if (format eq "svg") {
  set format "%.12e"
  set table $rows
  eval "plot " . all_of_panel
  unset table
  # A row of the table: x, y, and at its end whether it is in range.
  do for [i = 1:|$rows|] {
    row = $rows[i]
    print strlen(row) == 0 || row[1:1] eq "#" || word(row, words(row)) ne "i" ? row : "point\t" . word(row, 1) . "\t" . point_words(real(word(row, 1)), real(word(row, 2)))
  }
  set format "%g"
}
