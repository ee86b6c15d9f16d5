# Time of all implementations against size, each with its best tunables, in float.
dtype = "float"
load "scripts/patras-atax/time.inc"
