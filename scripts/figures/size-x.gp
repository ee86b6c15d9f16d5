# A logarithmic x axis of matrix sizes n, labelled as the report says them; sizes: a list of n.
# A label too close to the one before goes one line down, and away when there is no room there.
set logscale x 2
x_words(x) = k(x)
set xlabel "rows = columns (K = 1024)" offset 0,-0.3
set bmargin at screen 0.23
set xrange [word(sizes, 1) / 1.12 : word(sizes, words(sizes)) * 1.12]
set xtics () font "," . small
array last_in[2] = [1, 1]
apart = (1.25 * word(sizes, words(sizes)) / word(sizes, 1)) ** 0.09  # what a label needs
do for [n in sizes] {
  row = (n >= apart * last_in[1]) ? 1 : (n >= apart * last_in[2]) ? 2 : 3
  if (row < 3) { last_in[row] = real(n) }
  set xtics add ((row == 1 ? k(n) : row == 2 ? "\n" . k(n) : "") n)
}
