# Writes into a gnuplot SVG the texts that the mouse shows, in place of gnuplot's own titles: each curve gets
# its name, each point that name and its numbers. Usage:
#   awk -f scripts/figures/titles.awk FACTS SVG SVG
# The SVG is read twice: first for the names in its key, since a key without enough room loses some. FACTS, as
# style.gp prints them, separated by tabs: "title" and the title of the whole; for each curve its title and
# its drawn points, in order: "point", x, and its text; any number of "note", the name of a curve, x, and
# further text.
BEGIN { FS = "\t" }
function escaped(text) {
  gsub(/&/, "\\&amp;", text)
  gsub(/</, "\\&lt;", text)
  return text
}

FNR == 1 { file = FILENAME == ARGV[1] ? 1 : file < 2 ? 2 : 3 }
file == 1 {
  if (/^# Curve [0-9]+ of /) ++curves
  else if (/^# Curve title: /) name[curves] = substr($0, 17, length($0) - 17)
  else if ($1 == "title") whole = $2
  else if ($1 == "point") { x[curves, ++count[curves]] = $2 + 0; says[curves, count[curves]] = $3 }
  else if ($1 == "note") note[$2, $3 + 0] = ", " $4
  next
}
file == 2 {
  if (/<g id="gnuplot_plot_/) ++curve_of_key
  if (/^\t*<text>/ && curve_of_key in name && index($0, "<text>" escaped(name[curve_of_key]) "</text>")) in_key[curve_of_key]
  next
}
/^<title>Gnuplot<\/title>/ { $0 = "<title>" escaped(whole) "</title>" }
/^<desc>/ { next }
/<g id="gnuplot_plot_/ {
  ++curve
  point = 0
  sub(/<title>.*/, "")
  if (curve in in_key) $0 = $0 "<title>" escaped(name[curve]) "</title>"
}
# A curve's points come first, then its point in the key; a white point is the background of the next.
/<use xlink:href=/ {
  white = /#FFFFFF/
  point += !white
  at = point + white
  if (at <= count[curve] && name[curve] != "") {
    sub(/\/>[ \t]*$/, "")
    $0 = $0 "><title>" escaped(name[curve] note[name[curve], x[curve, at]] ": " says[curve, at]) "</title></use>"
  }
}
# A change of pen leaves an empty group behind.
held != "" {
  if (/^<\/g>[ \t]*$/) { held = ""; next }
  print held
  held = ""
}
/^<g fill=[^>]*>[ \t]*$/ { held = $0; next }
{ print }
