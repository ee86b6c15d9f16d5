# What each rung reaches of the best of cuBLAS and cuBLASLt, at 8192 or the largest size there is.
at = "n = (SELECT max(n) FROM rungs WHERE n <= 8192)"
names = list("SELECT variant FROM rungs WHERE " . at . " GROUP BY variant ORDER BY min(place)")
kinds = list("SELECT DISTINCT kind FROM rungs WHERE " . at . " AND peer_percent IS NOT NULL ORDER BY kind")
if (words(names) == 0 || words(kinds) == 0) { print missing("matmul on tensor cores: make tensor-matmul"); exit status 3 }

load "scripts/figures/names-x.gp"
set yrange [0 : number("SELECT max(max(peer_percent_high), 113) FROM rungs WHERE " . at) + 2]
set title sprintf("matmul, n = %s: the rungs against cuBLAS and cuBLASLt", list("SELECT max(n) FROM rungs WHERE n <= 8192"))
set ylabel "percent of the best library"
set label 1000 provenance("gpu")

plot for [i = 1:words(kinds)] query_for("SELECT place, peer_percent, peer_percent_low, peer_percent_high FROM rungs WHERE kind = ? AND " . at . " ORDER BY place", word(kinds, i)) \
       using 1:2:3:4 with yerrorlines linetype i title word(kinds, i), \
     100 with lines linetype 22 notitle
