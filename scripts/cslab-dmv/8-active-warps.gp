# Figure 8: active warps of a multiprocessor against block size. From the records of a GPU; without one,
# computed by the toolkit's occupancy header for sm_90 from the registers that ptxas reported. Kernels with
# the same limits are one curve.
measured = "timed WHERE active_warps IS NOT NULL AND variant IN ('naive', 'coalesced', 'shmem')"
# From a table that a program prints, block and warps alternating.
table(name, look, text) = "SELECT '' AS panel, '" . name . "' AS curve, column1 AS x, column2 AS y, NULL AS low, NULL AS high, NULL AS note, " . look . " AS look FROM (VALUES " . pairs(text, 1) . ")"
pairs(text, i) = i > words(text) ? "" : (i > 1 ? ", " : "") . "(" . word(text, i) . ", " . word(text, i + 1) . ")" . pairs(text, i + 2)
occupancy(what) = system("scripts/cslab-dmv/occupancy.sh " . what)
run = "dmv on a GPU, and no CUDA toolkit to compute occupancy with: make cslab-dmv"
if (number("SELECT count(*) FROM " . measured) > 0) {
  rows = "SELECT '' AS panel, (SELECT group_concat(variant, ', ') FROM (SELECT variant, group_concat(block || ':' || active_warps) AS all_of_it FROM (SELECT DISTINCT variant, block, active_warps FROM " . measured . " ORDER BY block) GROUP BY variant) WHERE all_of_it = l.all_of_it) AS curve, block AS x, active_warps AS y, NULL AS low, NULL AS high, NULL AS note, NULL AS look FROM (SELECT DISTINCT variant, block, active_warps FROM " . measured . ") JOIN (SELECT variant, group_concat(block || ':' || active_warps) AS all_of_it FROM (SELECT DISTINCT variant, block, active_warps FROM " . measured . " ORDER BY block) GROUP BY variant) l USING (variant) GROUP BY curve, block"
} else {
  kernels = occupancy("kernels")
  if (words(kernels) == 0) { print missing(run); exit status 3 }
  origin = "computed by cuda_occupancy.h for sm 90 from the compiled kernels, not measured"
  rows = table(word(kernels, 1), "NULL", occupancy(word(kernels, 1)))
  do for [i = 2:words(kernels)] { rows = rows . " UNION ALL " . table(word(kernels, i), "NULL", occupancy(word(kernels, i))) }
}
rows = rows . " UNION ALL " . table("Fermi, from its limits", "20", occupancy("fermi"))
subject = "Active warps of a multiprocessor"
finding = list("WITH r AS (SELECT * FROM (" . rows . ") WHERE look IS NULL) SELECT CASE count(DISTINCT curve) WHEN 1 THEN 'all kernels are limited alike, by the block' ELSE count(DISTINCT curve) || ' ways to be limited' END FROM r")
y_name = "active warps"
y_unit = ""
linear = 1
y_least = 0
x_name = "threads per block"
x_kind = "blocks"
load "scripts/figures/curves.gp"
