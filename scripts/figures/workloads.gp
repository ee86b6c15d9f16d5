# A workload has the same colour, dash and point in all figures that compare workloads: linetype
# type_of(its name). Its place among all decides, whichever an experiment has; those that only records
# know come last.
all_workloads = list("SELECT name FROM workloads ORDER BY name") . " " . \
    list("SELECT DISTINCT workload FROM records WHERE workload NOT IN (SELECT name FROM workloads) ORDER BY 1")
type_of(workload) = 30 + sum [i = 1:words(all_workloads)] (word(all_workloads, i) eq workload ? i : 0)
