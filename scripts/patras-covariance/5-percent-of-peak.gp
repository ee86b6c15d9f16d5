# All variants in percent of the highest measured rate of multiply-adds of their device: a GPU's is that of its
# tensor cores, half of which is out of reach without them.
at = "FROM ladder WHERE dtype = 'double' AND n >= 512"
percent = "peak_percent"
of = "the peak"
run = "covariance in double at 512 or more: make patras-covariance"
subject = "covariance, double"
load "scripts/figures/rungs.gp"
