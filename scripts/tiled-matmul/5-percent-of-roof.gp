# The ladder rung by rung, in percent of the limit.
percent = "roof_percent"
of = "the limit"
load "scripts/tiled-matmul/rungs.inc"
