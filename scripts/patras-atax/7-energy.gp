# The rung with the lowest energy, and whether it is the fastest.
extents = "rows || ' x ' || cols"
load "scripts/figures/energy.gp"
