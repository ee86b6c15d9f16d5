# Speedup over the best CPU variant against size, kernels alone and with the copies of the report's kernel and of one
# on tensor cores, as far as serial/plain, the loops of PolyBench, ran.
view = "shown"
dtype = "double"
moved = "'cuda/tiled', 'cuda/tensor'"
run = "covariance in double, serial and another: make patras-covariance"
subject = "covariance, double"
x_name = "observations = variables (K = 1024)"
load "scripts/figures/over-cpu.gp"
