# The ladder rung by rung, as percent of the attainable roof, one series per size.
quantity = "roof_percent"
set title "matmul, true float: the ladder against the roof of the device"
set ylabel "percent of the roof"
load "scripts/tiled-matmul/rungs.inc"
