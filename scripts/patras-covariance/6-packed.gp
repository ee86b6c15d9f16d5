# The packed upper triangle, compared with both triangles (the second mirrored): how many times as fast, alone
# and with the copies to and from the device. The packed result takes half as long to copy.
rows = "SELECT 'kernels' AS panel, dtype || ', kernels' AS curve, n AS x, times AS y, times_low AS low, times_high AS high, NULL AS note, NULL AS look FROM packed" \
  . " UNION ALL SELECT 'copies', dtype || ', + copies', n, moved_times, NULL, NULL, NULL, NULL FROM packed"
run = "covariance/cuda/packed and mirror on a GPU: make patras-covariance"
subject = "covariance"
finding = list("SELECT printf('a packed triangle is up to %.2f times as fast, up to %.2f with the copies', max(times), max(moved_times)) FROM packed")
linear = 1
y_least = 0.9
level = 1
level_name = "both triangles"
y_name = "mirror / packed"
y_unit = ""
x_name = "observations = variables (K = 1024)"
x_kind = "size"
load "scripts/figures/curves.gp"
