# Each rung in percent of the faster of cuBLAS and cuBLASLt, at 8192 or the largest size there is.
at = "FROM rungs WHERE n = (SELECT max(n) FROM rungs WHERE n <= 8192) AND peer_percent IS NOT NULL"
rows = "SELECT * FROM (SELECT 'share of the best library' AS panel, kind AS series, 'cuda/' || variant AS name, peer_percent AS x, peer_percent_low AS low, peer_percent_high AS high, '%' AS unit, tunables AS note, NULL AS look " . at . " ORDER BY place DESC)"
run = "matmul on tensor cores: make tensor-matmul"
level = 100
subject = "matmul on tensor cores, n = " . list("SELECT max(n) FROM rungs WHERE n <= 8192")
finding = list("SELECT printf('the best rung reaches %.0f to %.0f %% of the library', min(best), max(best)) FROM (SELECT max(peer_percent) AS best " . at . " GROUP BY kind)")
load "scripts/figures/dots.gp"
