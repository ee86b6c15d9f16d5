# Says in an SVG of gnuplot what the mouse rests on: each curve gets the name it has in the key, each
# point that name and its numbers; gnuplot's own titles say nothing. Usage:
#   awk -f scripts/figures/titles.awk FACTS SVG
# FACTS, as style.gp prints them, by tabs: "x" and "y" with the ends of an axis and the unit of its
# numbers; any number of "note" with the name of a curve, a place on the x axis, and what is to be said
# of that point. An axis is logarithmic where its label says so: "threads, log".
BEGIN { FS = "\t"; split("s ms µs ns", of_seconds, " ") }

function inverse(axis, share) {
  if (is_log[axis]) return low[axis] * exp(share * log(high[axis] / low[axis]))
  return low[axis] + share * (high[axis] - low[axis])
}
function three_digits(value) { return sprintf("%.3g", value) + 0 }
function number_of(value, unit,  i) {
  if (unit != "s") return three_digits(value) (unit == "" ? "" : " " unit)
  for (i = 1; i < 4 && value < 0.9995; ++i) value *= 1000
  return three_digits(value) " " of_seconds[i]
}
# A number that a tick stands at is said as the tick says it; beside a name is what stands there.
function place(x,  i, away, nearest, label) {
  nearest = right - left
  for (i = 1; i <= ticks; ++i) {
    away = tick_x[i] > x ? tick_x[i] - x : x - tick_x[i]
    if (tick_y[i] > bottom && tick_y[i] < bottom + 60 && away < nearest) {
      nearest = away
      label = tick_text[i]
    }
  }
  if (label != "" && (nearest < 3 || label !~ /^[-.0-9]/)) return label # pixels
  return three_digits(inverse("x", (x - left) / (right - left)))
}
function coordinates(line,  inner) {
  inner = line
  sub(/.*translate\(/, "", inner)
  sub(/\).*/, "", inner)
  split(inner, at, ",")
}
# Of the point at at[1], at[2].
function title_of(name,  x, y, i, text) {
  x = inverse("x", (at[1] - left) / (right - left))
  y = inverse("y", (bottom - at[2]) / (bottom - top))
  text = name
  for (i = 1; i <= notes; ++i) {
    if (note_of[i] == name && note_x[i] < x * 1.002 && note_x[i] > x * 0.998) text = text ", " note_text[i]
  }
  return text ": " place(at[1]) ", " number_of(y, unit["y"])
}
function in_frame() { return at[1] > left - 1 && at[1] < right + 1 && at[2] > top - 1 && at[2] < bottom + 1 }

# Lines of a curve wait for its name, which comes first, but not before all of them.
function flush_curve(  i, line, before, name) {
  name = entry
  print "\t<g id=\"" curve "\" >" (name == "" ? "" : "<title>" name "</title>")
  for (i = 1; i <= held; ++i) {
    line = lines[i]
    if (name != "" && line ~ /<use xlink:href=/ && line ~ /\/>[ \t]*$/) {
      coordinates(line)
      if (in_frame()) sub(/\/>[ \t]*$/, "><title>" title_of(name) "</title></use>", line)
    }
    print line
  }
  held = 0
  curve = ""
}

FILENAME == ARGV[1] {
  if ($1 == "note") { note_of[++notes] = $2; note_x[notes] = $3; note_text[notes] = $4 }
  else { low[$1] = $2; high[$1] = $3; unit[$1] = $4 }
  next
}
/^<title>Gnuplot<\/title>|^<desc>/ { next }
/<g id="gnuplot_plot_/ {
  if (curve != "") flush_curve()
  curve = $0
  sub(/.*<g id="/, "", curve)
  sub(/".*/, "", curve)
  entry = ""
  depth = 1
  next
}
{
  text = ""
  if ($0 ~ /<text>/) {
    text = $0
    sub(/.*<text>/, "", text)
    sub(/<\/text>.*/, "", text)
  }
}
curve != "" {
  lines[++held] = $0
  if (entry == "" && text != "") entry = text
  # What follows the last curve belongs to none.
  depth += gsub(/<g[ >]/, "&") - gsub(/<\/g>/, "&")
  if (depth == 0) flush_curve()
  next
}
# The axes, of their colour: from the top of the left one along it and along the lower one.
/stroke='rgb\( *68, *68, *68\)'  d='M[-0-9.]+,[-0-9.]+ L[-0-9.]+,[-0-9.]+ L/ {
  axes = $0
  sub(/.* d='M/, "", axes)
  split(axes, corner, /[ ,L]+/)
  left = corner[1]; top = corner[2]; bottom = corner[4]; right = corner[5]
}
/translate\(/ { coordinates($0); upright = !/rotate\(270\)/ }
text ~ /, log/ { is_log[upright ? "x" : "y"] = 1 }
text != "" && !upright && unit["y"] == "" && match(text, /\([^)]*\)/) { # "performance (Gflop/s), log"
  unit["y"] = substr(text, RSTART + 1, RLENGTH - 2)
}
# Ticks come before the axes, labels behind them.
text != "" && upright && axes == "" {
  gsub(/^ +| +$/, "", text)
  tick_x[++ticks] = at[1]
  tick_y[ticks] = at[2]
  tick_text[ticks] = text
}
{ print }
END { if (curve != "") flush_curve() }
