# All variants in percent of the highest measured rate of multiply-adds of their device. On a GPU this is the
# rate of its tensor cores; without them half of it is out of reach.
at = "FROM ladder WHERE dtype = 'double' AND n >= 512"
percent = "peak_percent"
of = "the peak"
run = "covariance in double at 512 or more: make patras-covariance"
subject = "covariance, double"
load "scripts/figures/rungs.gp"
