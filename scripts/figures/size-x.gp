# A logarithmic x axis of matrix sizes n, labelled as the report says them; sizes: a list of n.
set logscale x 2
set xlabel "rows = columns of A (K = 1024), log" offset 0,-0.3
set bmargin at screen 0.23
set xrange [word(sizes, 1) / 1.12 : word(sizes, words(sizes)) * 1.12]
set xtics () font "," . small
# 14K stands beside 16K: a label too close to the one before goes one line down.
before = 1
row = 0
do for [n in sizes] {
  row = (n < 1.35 * before) ? 1 - row : 0
  before = real(n)
  set xtics add ((row ? "\n" : "") . k(n) n)
}
