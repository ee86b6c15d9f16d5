# Speedup over the best CPU variant against size, kernels alone and with transfers.
view = "best"
dtype = "double"
moved = "'cuda/fused'"
run = "atax in double, serial and another: make patras-atax"
subject = "atax, double"
x_name = "rows = columns (K = 1024)"
load "scripts/figures/over-cpu.gp"
