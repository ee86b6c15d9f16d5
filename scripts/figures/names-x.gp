# An x axis of variants, one place for each; names: a list of theirs, with the backend or without, which
# is not said unless whole_names is defined. place: SQL that finds the place of a `name`.
place = "CASE name"
# Many names stand steeper, or they run into each other.
steep = words(names) > 9
set xtics () rotate by (steep ? -50 : -25) font "," . small
text_of(name) = exists("whole_names") ? name : name[strstrt(name, "/") + 1:*]
x_words(x) = text_of(word(names, int(x + 0.5)))
do for [i = 1:words(names)] {
  place = place . sprintf(" WHEN '%s' THEN %d", word(names, i), i)
  set xtics add (text_of(word(names, i)) i)
}
place = place . " END"
set xrange [0.5 : words(names) + 0.5]
set bmargin at screen (steep ? 0.3 : 0.24)
set xlabel
