# All variants in percent of the limit of their device, which counts one reading of A: two products that each read
# it cannot reach more than half where A is larger than the caches.
# In the gallery.
at = "FROM ladder WHERE dtype = 'double' AND n >= 1024"
percent = "roof_percent"
of = "the limit"
run = "atax in double: make patras-atax"
subject = "atax, double"
load "scripts/figures/rungs.gp"
