# All variants in percent of the measured rate of multiply-adds of their device, without tensor cores: those that
# use them pass it.
at = "FROM ladder WHERE dtype = 'double' AND n >= 512"
percent = "peak_percent"
of = "the peak without tensor cores"
run = "covariance in double at 512 or more: make patras-covariance"
subject = "covariance, double"
load "scripts/figures/rungs.gp"
