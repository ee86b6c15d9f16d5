# The rung with the lowest energy, and whether it is the fastest.
extents = "rows || ' x ' || cols || ', radius ' || radius"
load "scripts/figures/energy.gp"
