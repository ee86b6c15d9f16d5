# The rung with the lowest energy, and whether it is the fastest.
extents = "'n = ' || n"
load "scripts/figures/energy.gp"
