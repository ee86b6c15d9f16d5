# Time of all implementations against size, each with its best tunables, in the report's data type.
dtype = "double"
load "scripts/patras-atax/time.inc"
