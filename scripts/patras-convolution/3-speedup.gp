# Speedup over the best CPU variant against size: kernels alone, and with the copies of the report's kernel and of
# the fastest.
# In the gallery.
view = "best"
dtype = "double"
moved = "'cuda/naive', (SELECT name FROM best WHERE on_gpu AND dtype = 'double' ORDER BY n DESC, time_s LIMIT 1)"
run = "conv2d in double, serial and another: make patras-convolution"
subject = "conv2d 3x3, double"
x_name = "rows = columns (K = 1024)"
load "scripts/figures/over-cpu.gp"
