# The ladder rung by rung, in percent of the roof.
percent = "roof_percent"
of = "the roof"
load "scripts/tiled-matmul/rungs.inc"
