#!/bin/bash -p
# Records come from other people: no text in them, and no name of a file or folder, is ever executed. A failed
# read or write is an error that leaves the old file unchanged.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

copy_tree
cd "$tree" || exit
parlab=bin/parlab-emulated
export FORMATS=svg
fails() { ! "$@"; }
nothing_ran() { test -z "$(find . /tmp -maxdepth 3 -name 'parlab-ran-*' 2>/dev/null)"; }
ran=/tmp/parlab-ran-$$
trap 'rm -rf "$tree" /tmp/parlab-ran-*' EXIT

good=results/good/cslab-dmv.jsonl
expect "records are made" "$parlab" dmv 64,128 --backend serial,openmp --threads 1,2 --iterations 7 \
  --results $good

# ---- names in records ----------------------------------------------------------------------------
mkdir -p results/evil
evil=results/evil/cslab-dmv.jsonl
head -1 $good | sed 's/"machine":"[^"]*"/"machine":"evil"/' >$evil
lines=1
# plant SED_SCRIPT: adds a line of the good records, changed by that script.
plant() {
  sed -n '/"backend":"openmp"/p' $good | head -1 | sed -E "$1" >>$evil
  lines=$((lines + 1))
}
# shellcheck disable=SC2016 # nothing is to be expanded here
for name in '$(touch${IFS}'"$ran)" '`touch '"$ran"'`' "it's" "'; touch $ran; '" '|touch '"$ran" 'a b' \
  '\\"; system(\\"touch '"$ran"'\\")' '\\u001b]0;title\\u0007' '../../up' '-option'; do
  plant "s#\"variant\":\"[^\"]*\"#\"variant\":\"$name\"#"
  plant "s#\"threads\":#\"$name\":#"
  plant "s#\"rows\":#\"$name\":#"
  plant "s#\"source\":#\"counters\":{\"$name\":1},\"source\":#"
  plant "s#\"workload\":\"[^\"]*\"#\"workload\":\"$name\"#"
done
plant "s#\"threads\":#\"x\\\\\" TEXT); ATTACH '$ran' AS a; CREATE TABLE a.t (x); --\":#"
plant "s#\"threads\":#\"$(printf 'long%.0s' {1..20})\":#"
refused=$((lines - 1))
expect "each of the $refused planted names is one line of the file" test "$(wc -l <$evil)" = "$lines"

"$parlab" export results/evil >out.csv 2>warnings
expect "they are refused with the file and the line" \
  test "$(grep -cE "evil/cslab-dmv.jsonl:[0-9]+: .*names are of letters.*skipped" warnings)" = 20
expect "and counted when they are many" grep -q "$((refused - 20)) more lines skipped" warnings
expect "no record is left of them" test "$(wc -l <out.csv)" = 1
expect "no escape reaches the terminal" fails grep -q $'\033' warnings
views=scripts/cslab-dmv/views.sql
mkdir made
cp $evil made/evil.jsonl
for command in "show evil" "show $evil --format record" "claims results/evil" "compare $good $evil" \
  "page results/evil --output made/evil.html" "index results/evil --output made/evil.html" \
  "database $evil made/evil.db --views $views" "query made/evil.db 'SELECT * FROM records'" "merge made/merged.jsonl made/evil.jsonl" \
  "dmv 64 --variant serial/plain --iterations 2 --results $evil" \
  "dmv 64 --variant serial/plain --iterations 2 --resume results/evil --results made/resumed.jsonl" \
  "dmv 64 --variant openmp/rows --threads best --tuned $evil --iterations 2"; do
  eval "'$parlab' $command" >out 2>&1
  status=$?
  expect "${command%% *} takes nothing of them for a command" eval 'test $status -le 2 && nothing_ran && ! grep -qP "\x1b" out'
done

# Free text is shown without control characters for the terminal; in a shell, gnuplot and SQL it stays text,
# even in the small print of figures.
mkdir -p results/coloured
# shellcheck disable=SC2016 # nothing is to be expanded here
text='a \u001b[31mred\u009b `touch RAN` $(touch RAN) '"'; touch RAN; ' || x() || '"' \"; system(\"touch RAN\") %s%n @x'
text=$(sed "s|RAN|$ran|g; s/[\\&#]/\\\\&/g" <<<"$text")
sed -E "s/\"machine\":\"[^\"]*\"/\"machine\":\"coloured\"/
  s#\"(cpu|gpu|driver|cuda|compiler|flags|commit|command|kernel|detail|node)\":\"[^\"]*\"#\"\1\":\"$text\"#g" \
  < <(lines "$OLDPWD"/results/nvidia-h200/cslab-dmv.jsonl*) >results/coloured/cslab-dmv.jsonl
expect "the text is planted" grep -q 'touch /tmp/parlab-ran' results/coloured/cslab-dmv.jsonl
for command in "show results/coloured" "export results/coloured" "claims results/coloured" \
  "compare $good results/coloured/cslab-dmv.jsonl"; do
  # shellcheck disable=SC2086 # words
  "$parlab" $command >out 2>&1
  expect "${command%% *}: says something, and no escape" eval 'test -s out && ! grep -qP "\x1b|\xc2\x9b" out'
done

# ---- names of folders and files ------------------------------------------------------------------
# shellcheck disable=SC2016 # nothing is to be expanded here
folders=('$(touch parlab-ran-1)' '`touch parlab-ran-2`' '$(shell touch parlab-ran-3)' 'a b' 'a#b' 'a:b' 'a=b' "it's" 'a;b' $'a\033[31m' '%')
for folder in "${folders[@]}"; do
  mkdir -p "results/$folder"
  cp $good "results/$folder/"
done
cp $good 'results/good/$(shell touch parlab-ran-4).jsonl'
cp $good 'results/good/a b.jsonl'
mkfifo results/good/pipe.jsonl
drawn=$(own_make figures 2>&1)
status=$?
expect "make figures goes on: $(tail -1 <<<"$drawn")" test $status = 0
expect "the good figures are drawn" test -s plots/good/cslab-dmv-1-openmp-time.svg
expect "those of hostile text as well, with the text" grep -q 'system(' plots/coloured/cslab-dmv-6-all-time.svg
expect "the good page is written" grep -q '</html>' plots/good/index.html
expect "each unusable folder is named" test "$(grep -c 'skipped: the folder' <<<"$drawn")" = ${#folders[@]}
expect "each unusable file is named" test "$(grep -c 'skipped: the file' <<<"$drawn")" = 3
expect "no escape reaches the terminal from make" fails grep -q $'\033' <<<"$drawn"
expect "other machines have no folder under plots/" \
  test "$(cd plots && printf '%s ' *)" = "coloured evil good index.html "
own_make help >/dev/null 2>&1
# Every target reads the names when make starts. These are representative, and one experiment stands for all.
for target in figures gallery report cslab-dmv counters tune device-spread; do
  MACHINE=${folders[0]} own_make NVCC= --dry-run "$target" >/dev/null 2>&1 # with it, a hash of each kernel
done
for command in show export claims index; do
  timeout 60 "$parlab" "$command" "${folders[@]/#/results/}" >out 2>&1
done
for folder in "${folders[@]:0:3}"; do
  for command in page "compare $good" "database --views $views made/x.db" "merge made/m.jsonl" "query made/x.db" \
    "dmv 64 --variant serial/plain --iterations 2 --resume"; do
    # shellcheck disable=SC2086 # words
    timeout 60 "$parlab" $command "results/$folder" >out 2>&1
  done
  MACHINE=$folder scripts/cslab-dmv/steps.sh >out 2>&1
done
rm -r results/coloured plots/coloured # what follows draws again
expect "MACHINE is a name" fails env MACHINE='a b' scripts/machine-name.sh
expect "nothing of all this was run" nothing_ran

# ---- failing output is an error ---------------------------------------------------------------------
cp $good made/more.jsonl
for command in "show results/good" "show results/good --format json" "export results/good" "claims results/good" \
  "claims results/good --format json" "compare $good $good" "dmv --list" "--version" "--help" "machine" \
  "machine --name" "query build/records/good/cslab-dmv.db 'SELECT 1'" "merge made/two.jsonl made/more.jsonl" \
  "dmv 64 --estimate" "dmv 64 --variant cuda/naive" "dmv 64 --variant serial/plain --iterations 2 --format csv" \
  "dmv 64 --variant serial/plain --iterations 2 --format record" \
  "convsep --image generated:8x8 --filter box:1 --output x.pgm"; do
  # The same command succeeds if there is room.
  expect "$command: a full disk is an error" \
    eval "! $parlab $command >/dev/full 2>errors && grep -q 'could not be written' errors && cp $good made/more.jsonl && $parlab $command"
done

mkdir -p empty
echo old >kept
ln -s kept link
for output in /dev/null link results; do
  expect "page --output $output is refused" fails "$parlab" page results/good --output "$output"
done
expect "the device, the link and what it points to are as they were" \
  test -c /dev/null -a -L link -a "$(cat kept)" = old
before=$(md5sum plots/index.html)
for folder in . / empty results/none; do
  expect "page $folder is refused" fails "$parlab" page $folder
  expect "index $folder is refused" fails "$parlab" index $folder
done
expect "the index is as it was" test "$(md5sum plots/index.html)" = "$before"

# As on a full disk: no file may grow beyond 8 KiB.
limited() { (trap '' XFSZ && ulimit -f 8 && "$@"); }
sums() { find plots -type f -exec md5sum {} + | sort; }
picture=plots/good/cslab-dmv-1-openmp-time.png
expect "a picture in both formats" own_make FORMATS='svg png' $picture
before=$(sums)
touch scripts/cslab-dmv/[16]-*.gp scripts/cslab-dmv/tables.sql
expect "in both formats it fails on a full disk" fails limited own_make FORMATS='svg png' $picture
expect "make figures fails on a full disk" fails limited own_make --keep-going figures
expect "and leaves all old figures, tables and pages, whole" test "$(sums)" = "$before"
touch $good
expect "a database is made whole or not at all" fails limited "$parlab" database $good new.db \
  --views scripts/cslab-dmv/views.sql
expect "nothing is left half done" test -z "$(find . -name '*.part*' -o -name new.db)"
expect "with room again it mends itself" own_make figures
expect "convsep --output: a first picture" "$parlab" convsep --image generated:64x64 --filter box:1 --output soft.pgm
before=$(md5sum soft.pgm)
expect "a second one on a full disk fails" fails limited "$parlab" convsep --image generated:512x512 \
  --filter box:1 --output soft.pgm
expect "and leaves the first" test "$(md5sum soft.pgm)" = "$before"

# ---- devices and pipes ---------------------------------------------------------------------------
mkfifo pipe
for file in /dev/null /dev/zero pipe results; do
  for command in "dmv 64 --backend serial --results $file" "tune dmv 64 --variant openmp/rows --tuned $file" \
    "dmv 64 --threads best --backend openmp --tuned $file"; do
    # shellcheck disable=SC2086 # words
    timeout 20 "$parlab" $command >out 2>&1
    status=$?
    expect "${command%% *} ... ${command##* --}: refused at once: $(head -1 out)" test $status = 2
  done
done
for command in "show pipe" "export /dev/zero" "claims pipe" "compare pipe pipe" "page pipe" "index pipe" \
  "database pipe made/x.db --views $views" "database $good made/x.db --views pipe" "database $good pipe --views $views" \
  "query pipe SELECT" "query /dev/zero SELECT" "merge made/m.jsonl pipe" "merge pipe $good" \
  "dmv 64 --shard 1/2 --plan pipe" "dmv 64 --shard 1/2 --plan /dev/zero" "dmv 64 --shard 1/2 --plan results" \
  "grade dmv results --output pipe" "grade dmv results --output /dev/null" \
  "dmv 64 --backend serial --resume pipe --results made/r.jsonl" "dmv 64 --estimate --results pipe"; do
  # shellcheck disable=SC2086 # words
  timeout 20 "$parlab" $command >out 2>&1
  status=$?
  expect "$command: refused at once: $(head -1 out)" test $status = 2
done
expect "an image without an end ends" eval \
  'timeout 20 $parlab convsep --image /dev/zero --filter box:1 --output x.pgm 2>&1 | grep -q "no PGM"'
expect "an image ends where its header says" eval \
  '{ printf "P5 32 32 255\n"; cat /dev/zero; } | timeout 20 $parlab convsep --image /dev/stdin --filter box:1 --output x.pgm'
end_tests
