#!/bin/bash -p
# Several people's records and a graded class on one page: ranks with ties per kind of machine, the verified
# variants, and the sources if they were handed in.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh
# shellcheck disable=SC2034 # parlab is for the commands that eval reads
sources=$PWD parlab=$PWD/bin/parlab-emulated records=$PWD/results/nvidia-h200
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit

# person NAME VARIANT: has measured that kernel of dmv as one of her own.
person() {
  mkdir -p "leaders/$1"
  grep -E "\"type\":\"run\"|\"workload\":\"dmv\".*\"variant\":\"$2\"" < <(lines "$records"/cslab-dmv.jsonl*) |
    sed "s|\"variant\":\"$2\"|\"variant\":\"$1s\"|; s|cuda/dmv/$2.cu|cuda/dmv/$1s.cu|" >"leaders/$1/dmv.jsonl"
}
person ann coalesced
person cara coalesced
person bob naive_1d
printf '// cara says: if (a < b && c)\n' >leaders/cara/caras.cu
mkdir -p grades/dmv/sources
cat >grades/dmv/grades.csv <<'END'
student,points,verdict,rank,size,time_s,time_s_low,time_s_high,roof,detail,workload,dtype,machine
Dan,90,passed,1,4096x4096,0.001,0.00099,0.00101,0.4,,dmv,float,a-course-machine
"Eve, the first",90,passed,1,4096x4096,0.001001,0.00099,0.00101,0.4,"said ""so"",
on two lines",dmv,float,a-course-machine
Gus,50,passed,3,4096x4096,0.005,0.0049,0.0051,0.1,,dmv,float,a-course-machine
"Ida ""the quick"" Jones",40,passed,4,4096x4096,0.006,0.0059,0.0061,0.1,,dmv,float,a-course-machine
Hal,0,wrong_result,,4096x4096,,,,,,dmv,float,a-course-machine
END
echo 'int gus;' >grades/dmv/sources/Gus.cu
person fay coalesced
sed -i 's/"verdict":"passed"/"verdict":"wrong_result"/' leaders/fay/dmv.jsonl
expect "a page is made" eval '"$parlab" page --leaderboard leaders/* grades/dmv --output page.html 2>said'
expect "a person without a time stands on it without a rank, with a warning: $(cat said)" \
  eval 'grep -q "Without a time and a rank: fay" page.html && grep -q "fay: no kernel passed" said'
# table MACHINE: its rows, one line each, with cells separated by |.
table() {
  tr -d '\n' <page.html | grep -oE "<section id=\"$1\".*" | sed -E 's/<\/table>.*//; s/<tr/\n<tr/g; s/<\/t[dh]>/|/g; s/<[^>]*>//g' | tail -n +3
}
of_h200=$(table nvidia-h200) of_class=$(table a-course-machine)
row() { grep -E "\\|$2\\|" <<<"$1"; }
expect "one kernel measured by two is a shared rank: $of_h200" \
  eval '[[ $(row "$of_h200" ann) == "1 shared|"* && $(row "$of_h200" cara) == "1 shared|"* ]]'
expect "the slower one is third, and told apart" eval '[[ $(row "$of_h200" bob) == 3\|* ]]'
expect "a row says the time with its interval, the share of the limit and what was verified" \
  eval 'row "$of_h200" bob | grep -qE "[0-9.]+ ms.*[0-9.]+.+[0-9.]+ ms.*\|[0-9.]+ ?%\|right at [0-9]+ sizes"'
expect "students of a class are ranked by the same rule: $of_class" \
  eval '[[ $(row "$of_class" Dan) == "1 shared|"* && $(row "$of_class" "Eve, the first") == "1 shared|"* && $(row "$of_class" Gus) == 3\|* ]]'
expect "a name keeps its quotes" grep -qE 'Ida ("|&quot;)the quick("|&quot;) Jones' page.html
expect "what is wrong has no rank" eval '! row "$of_class" Hal'
mkdir untimed && grep -E '^student|^Hal' grades/dmv/grades.csv >untimed/grades.csv
expect "a class without times is named" \
  eval '"$parlab" page --leaderboard untimed --output untimed.html 2>said && grep -q "untimed: no kernel passed" said'
expect "sources that were handed in are shown, and are no HTML" grep -q 'if (a &lt; b &amp;&amp; c)' page.html
expect "... those of a class, too" grep -q 'int gus;' page.html
expect "a row leads to its source" eval 'id=$(grep -oE "href=\"#source-[0-9]+\"" page.html | head -1 | grep -oE "source-[0-9]+") && grep -q "id=\"$id\"" page.html'
expect "the page loads nothing" eval '! grep -qE "(src|href)=\"(https?:)?//" page.html'
expect "a folder that is neither is refused" \
  eval 'mkdir empty; ! "$parlab" page --leaderboard empty --output none.html 2>said && grep -q "empty. has no records" said && test ! -e none.html'
sed 's/,machine$/,x/' grades/dmv/grades.csv >old.csv && mkdir old && mv old.csv old/grades.csv
expect "a class of before is refused, with what to do" \
  eval '! "$parlab" page --leaderboard old --output none.html 2>said && grep -q "grade again" said'
# A class in the form that grade writes. On a busy machine it has no times, and nobody is ranked.
mkdir class && cp "$sources/openmp/dmv/rows.cpp" class/ivy.cpp
expect "a class is graded" eval '"$parlab" grade dmv class --sizes 200 --hidden 33 --output graded >said 2>&1'
expect "... and its grades say workload, type and machine: $(cat graded/grades.csv)" \
  grep -qE '^ivy,.*,dmv,float,[a-z0-9-]+' graded/grades.csv
expect "... which a leaderboard takes" \
  eval '"$parlab" page --leaderboard graded leaders/bob --output graded.html && grep -q ">bob<" graded.html &&
        { ! grep -q "^ivy,[^,]*,passed,1," graded/grades.csv || grep -q ">ivy<" graded.html; }'
end_tests
