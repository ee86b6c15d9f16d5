# The rung with the lowest energy, and whether it is the fastest.
extents = "m || ' x ' || n"
load "scripts/figures/energy.gp"
