# Time of every rung at the report's sizes, where launches matter more than bytes.
rows = "SELECT backend AS panel, name AS curve, n AS x, time_s AS y, low_s AS low, high_s AS high, tunables AS note, NULL AS look FROM ladder WHERE dtype = 'float' AND n BETWEEN 32768 AND 262144"
run = "vector_sum on a GPU as float: make vector-sum"
subject = "vector_sum, float"
y_name = "time of a whole sum"
y_unit = "s"
x_name = "elements (K = 1024)"
x_kind = "size"
load "scripts/figures/curves.gp"
