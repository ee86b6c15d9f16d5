#!/bin/bash -p
# Figures are made from records alone: drawn once, drawn again if the records change, and skipped with one
# line if there are none.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

copy_tree
cd "$tree" || exit
records=results/fixture/cslab-dmv.jsonl
measure() {
  bin/parlab-emulated dmv "$1" --backend serial,openmp --threads 1,2 --iterations 5 \
    --format csv --results $records >/dev/null
}
expect "records are made" measure 64,128
drawn=$(own_make figures 2>&1)
figure() { echo "plots/fixture/cslab-dmv-$1"; }

for name in 1-openmp-time 2-openmp-gflops 6-all-time 7-all-gflops; do
  expect "$name is drawn as SVG" grep -q '</svg>' "$(figure $name).svg"
  expect "$name is drawn as PNG" eval "head -c 4 $(figure $name).png | grep -q PNG"
  expect "$name names its machine, date and commit" grep -q "$(date -u +%Y-).* · commit" "$(figure $name).svg"
done
for name in 3-naive-blocks 4-coalesced-blocks 5-shmem-blocks; do
  expect "$name is skipped with one line that names the run" \
    eval "test \"\$(grep -c 'skip .*$name: no records of dmv/cuda' <<<'$drawn')\" = 1"
  expect "$name leaves no picture" test ! -e "$(figure $name).svg"
done
expect "the tables are written" grep -q 'Table 3' "$(figure tables).txt"

# A view may name columns that the records lack: a tunable, a counter, a GPU.
few=$tree/few/records.jsonl
mkdir "$tree/few" && cp results/fixture/ceilings.json "$tree/few"
for workload in dmv vector_sum matmul conv2d atax covariance convsep; do
  bin/parlab-emulated $workload 64 --backend serial --iterations 3 --format csv --results "$few" >/dev/null
done
views_of() { sed -nE 's/^CREATE VIEW ([a-z_0-9]+).*/\1/p' "$1"; }
answers() { # VIEWS: all of its views, in a database of these few records
  local view
  bin/parlab-emulated database "$few" "$tree/views.db" --views "$1" || return
  for view in $(views_of "$1"); do
    bin/parlab-emulated query "$tree/views.db" "SELECT * FROM $view" >/dev/null || return
  done
}
for views in scripts/*/views.sql; do
  expect "the views of ${views%/*} answer where little was measured" answers "$views"
done

expect "the page is written" grep -q '</html>' plots/fixture/index.html
expect "the page has the figures" grep -q 'id="fig-cslab-dmv-6-all-time"' plots/fixture/index.html

expect "a second time writes no page" eval "! own_make figures 2>&1 | grep wrote"
expect "a second time draws nothing" eval "! own_make figures 2>&1 | grep drew"
export FORMATS=svg # what follows looks at these alone
measure 256
expect "new records draw all of them again" eval 'test "$(own_make figures 2>&1 | grep -c drew)" -ge 4'
touch scripts/cslab-dmv/6-all-time.gp
expect "a changed script draws its figure alone" \
  eval 'test "$(own_make figures 2>&1 | grep drew)" = "  drew  $(figure 6-all-time).svg"'
head -c -20 $records >torn && mv torn $records
expect "a torn record file still gives figures" eval 'own_make figures && test -s $(figure 1-openmp-time).svg'
mv scripts/cslab-dmv/tables.sql . && rm "$(figure tables).txt" "$(figure 1-openmp-time).svg"
expect "an experiment without tables has its figures and its page" \
  eval 'own_make figures && test -s $(figure 1-openmp-time).svg && test ! -e $(figure tables).txt && test -s plots/fixture/index.html'
mv tables.sql scripts/cslab-dmv

# ---- a workload without an experiment of its own -------------------------------------------------------
expect "its experiment has seven sizes in three types, and one to emulate" eval \
  'ESTIMATE=planned PARLAB=bin/parlab-emulated scripts/measure.sh scan && test "$(grep -c ^scan planned)" = 24'
expect "... and needs the name of a workload" eval \
  '! PARLAB=bin/parlab-emulated scripts/measure.sh nothing 2>measured; grep -q "nothing" measured && ! scripts/measure.sh'
bin/parlab-emulated scan 64KiB:256KiB:*2,64KiB+3 --backend serial,openmp --iterations 6 --format csv \
  --results results/fixture/scan.jsonl >/dev/null
drawn=$(own_make figures 2>&1)
for name in 1-time 2-ladder 3-speedup; do
  expect "scan-$name is drawn, with a finding" grep -qE '<title>scan, float: .+ ' plots/fixture/scan-$name.svg
done
# 64 KiB and three elements more are two sizes.
labels() { grep -o '<title>serial/plain, [^<]*' plots/fixture/scan-1-time.svg | sed 's/:.*//'; }
expect "sizes that differ have labels that differ" eval 'test "$(labels | sort -u | wc -l)" = 4 -a "$(labels | wc -l)" = 4'
expect "... in tables, too" test "$(grep 'serial/plain' plots/fixture/scan-tables.txt | awk '{ print $1, $2, $3 }' | sort -u | wc -l)" = 4
footer() { # FIGURE: how far its source is from its foot, in pixels
  awk -F '[",)(]' '/^ width=/ { high = $4 } /translate\(/ { y = $4 } / commit / { print int(high - y) }' "$1"
}
expect "the source of a figure is not cut at its foot: $(footer plots/fixture/scan-2-ladder.svg)" \
  test "$(footer plots/fixture/scan-2-ladder.svg)" -ge 6
expect "... which names the size" grep -q '<title>scan, float: .* at 256 KiB' plots/fixture/scan-2-ladder.svg
scan=results/fixture/scan.jsonl
sed -Ei.steady 's/"roof_s":[^,]*,("slowest_roof_s":[^,]*,)?//' $scan
own_make figures >/dev/null 2>&1
expect "... without a limit that held still, in percent of the fastest" \
  grep -qE '(is|are) the fastest at .*; the limits were not steady' plots/fixture/scan-2-ladder.svg
expect "... as its axis says" grep -q '>share of the speed of the fastest (%)<' plots/fixture/scan-2-ladder.svg
sed -Ei 's/"samples_us":\[([^]]*)\],"batches":\[[^]]*\]/"samples_us":[\1,9,9,9,9,9,9,90,90,90,90,90,90,9,9,9,9,9,9],"batches":[6,6,6,6]/' $scan
own_make figures >/dev/null 2>&1
expect "an interval that is too wide to quote is not drawn, and said to be" \
  grep -q ', interval too wide to quote' plots/fixture/scan-2-ladder.svg
mv $scan.steady $scan
expect "... and says bytes" grep -q '[>"]256 KiB' plots/fixture/scan-1-time.svg
expect "... and tables" grep -q 'openmp/two_passes' plots/fixture/scan-tables.txt
bin/parlab-emulated heat 64,88 --backend serial,openmp --iterations 6 --format csv \
  --results results/fixture/heat.jsonl >/dev/null 2>&1
own_make figures >/dev/null 2>&1
for name in 1-time 2-ladder 3-speedup; do
  expect "heat-$name names the parameter" grep -q '<title>heat, float, steps=16: ' plots/fixture/heat-$name.svg
done
rm results/fixture/heat.jsonl plots/fixture/heat-*
expect "... and is on the page, with captions" eval \
  'grep -q "id=\"fig-scan-3-speedup\"" plots/fixture/index.html && grep -q "Speedup of all variants over the serial one" plots/fixture/index.html'

# ---- inputs of several kinds ---------------------------------------------------------------------------
on_kinds=results/fixture/input-power.jsonl
PARLAB_INPUTS=uniform,zeros,spread bin/parlab-emulated dmv 96 --variant openmp/rows --iterations 12 --format csv \
  --results $on_kinds >/dev/null 2>&1
drawn=$(own_make figures 2>&1)
of_inputs() { echo "plots/fixture/input-power-$1"; }
expect "speeds by inputs are drawn, and a CPU is not trusted by one run" grep -q \
  '<title>Other inputs: one run on a CPU tells no difference' "$(of_inputs 1-speed).svg"
expect "... by kind" eval 'grep -q ">zeros<" $(of_inputs 1-speed).svg && grep -q "openmp/rows *96 *spread" $(of_inputs tables).txt'
expect "... without clocks and watts where there are none" test "$(grep -c 'skip .*input-power-[23]' <<<"$drawn")" = 2
expect "... nor in tables" grep -q 'Clocks and watts.*no records' "$(of_inputs tables).txt"
sed -i 's/"converged":/"clock_hz":1500000000,"energy":{"runs_j":[2],"seconds":0.01,"idle_w":50,"source":"made up"},&/' $on_kinds
expect "clocks and watts are drawn where there are some" eval \
  'own_make figures >/dev/null 2>&1; grep -q "clocks from 1.50 to 1.50 GHz" $(of_inputs 2-clock).svg && grep -q "200 W on" $(of_inputs 3-power).svg'
expect "... and stand in tables" grep -qE '96 +zeros +1.500 +200 W +50.0 W +2.000 J +1.84 Mflop/s +1.00x' "$(of_inputs tables).txt"
PARLAB_INPUTS=zeros bin/parlab-emulated scan 64KiB --backend serial --iterations 6 --format csv \
  --results results/fixture/scan.jsonl >/dev/null 2>&1
own_make figures >/dev/null 2>&1
expect "other experiments show uniform inputs alone" eval '! grep -q zeros plots/fixture/scan-tables.txt &&
  test "$(bin/parlab-emulated query build/records/fixture/scan.db "SELECT count(DISTINCT inputs) FROM all_records")" = 2 &&
  test "$(bin/parlab-emulated query build/records/fixture/scan.db "SELECT count(DISTINCT inputs) FROM records")" = 1'

# ---- compare --plot ------------------------------------------------------------------------------------
compare() { bin/parlab-emulated compare $records $records "$@" 2>&1; }
expect "compare draws the ratios by size" eval 'compare --plot ratios.svg >/dev/null && test -s ratios.svg'
expect "... with each variant at each size, and its title counts what changed" \
  eval 'grep -qE "<text>Time after / before: [0-9]+ (same|undecided)" ratios.svg && test "$(grep -c "<title>serial/plain[^<]*: [0-9.]* KiB, 1</title>" ratios.svg)" -ge 2'
expect "... and both sides by name" test "$(grep -cE '<text>(before|after): .*cslab-dmv[.]jsonl' ratios.svg)" = 2
expect "... as PNG, too" eval 'compare --plot ratios.png >/dev/null && head -c 4 ratios.png | grep -q PNG'
expect "a name that is no picture is refused" eval 'compare --plot ratios.txt | grep -q "FILE.svg or FILE.png" && test ! -e ratios.txt'
expect "nothing is left beside it" eval '! compgen -G "ratios*.db*" && ! compgen -G "ratios*.part"'

# ---- every curve has a name in the key, every point its numbers ----------------------------------
cp -a "$OLDPWD"/results/nvidia-h200{,-x4} results
expect "the figures of a machine with everything are drawn" own_make figures
# nameless FILE...: the curves without a name in the key. Two kinds need none: the report's curves, which are
# grey and share one name, and level lines.
nameless() {
  awk '
    function end_curve() {
      if (curve != "" && !named && !grey && (points || !level)) print FILENAME ": " curve
      curve = ""
    }
    FNR == 1 { curve = "" }
    /<g id="gnuplot_plot_/ {
      end_curve()
      curve = $2; named = /<title>[^<\\]/; grey = points = 0; level = 1
    }
    /^\t<\/g>$/ { end_curve() }
    curve != "" && /rgb\(119, 119, 119\)/ { grey = 1 }
    curve != "" && /<use/ { points = 1 }
    curve != "" && match($0, / d=.[^\047]*/) {
      count = split(substr($0, RSTART, RLENGTH), place, /[ ,ML\047]+/)
      y = ""
      for (i = 4; i <= count; i += 2) { if (y == "") y = place[i]; else if (place[i] != "" && place[i] != y) level = 0 }
    }' "$@"
}
expect "no curve of $(ls plots/nvidia-h200/*.svg | wc -l) figures is without a name in the key" \
  eval 'lost=$(nameless plots/nvidia-h200/*.svg); echo "$lost"; test -z "$lost"'
# Figures with names at their lines need no label there.
expect "every other figure has the label of its y axis" test -z "$(grep -LE 'rotate\(-?[0-9]+|<text>(cuda|blas|[0-9]+x[0-9]+)[/,]' plots/nvidia-h200/*.svg)"
expect "a point says its variant, its tunables, its place and its time" \
  grep -qE '<title>openmp/[a-z]+, threads=[0-9]+: 2K, [0-9.]+ (ms|s)</title>' plots/nvidia-h200/tiled-matmul-1-time.svg
expect "of names in lines a point says which, and how much" \
  grep -q '<title>n = 16K[^<]*: cuda/bulk, [0-9.]* %</title>' plots/nvidia-h200/patras-atax-4-percent-of-roof.svg
expect "time and energy of the ladder, from records that have joules alone" \
  eval "grep -qE '<title>time[^<]*: cuda/coalesced, [0-9.]+ µs</title>' plots/nvidia-h200/cslab-dmv-9-energy.svg &&
        grep -qE '<title>energy[^<]*: cuda/coalesced, [0-9.]+ mJ</title>' plots/nvidia-h200/cslab-dmv-9-energy.svg"
# ---- the appearance of figures ------------------------------------------------------------------------
pictures=(plots/nvidia-h200/*.svg plots/nvidia-h200-x4/*.svg)
# The ids of a panel's curves end with one letter.
crowded=$(grep -oE 'id="gnuplot_plot_[0-9]+[a-z]*"' "${pictures[@]}" | sed -E 's/id=.*[0-9]([a-z]*)"/\1/' |
  sort | uniq -c | awk '$1 > 10') # a line across is no curve
expect "no panel has more than nine curves: $crowded" test -z "$crowded"
expect "fourteen implementations are four panels" \
  test "$(grep -oE 'id="gnuplot_plot_1[a-z]*"' plots/nvidia-h200/cslab-dmv-7-all-gflops.svg | wc -l)" = 4
# Two figures side by side on a landscape page are half as large: there 12 pixels are 6 points.
expect "no word is below 6 points in print" \
  eval '! grep -hoE "font-size=\"[0-9.]+" "${pictures[@]}" | grep -vE "(1[2-9]|[2-9][0-9])[.]"'
# finding FIGURE: its title.
finding() { grep -oE '<text>[^<]*: [^<]*</text>' "plots/nvidia-h200/$1.svg" | head -1; }
expect "a title says which kernel is the fastest, and ties: $(finding patras-convolution-1-time)" \
  eval 'finding patras-convolution-1-time | grep -qE "cuda/[a-z_]+ (and .* are|is) the fastest at 16K"'
expect "... which block serves all sizes: $(finding cslab-dmv-3-naive-blocks)" \
  eval 'finding cslab-dmv-3-naive-blocks | grep -qE "a block of [0-9]+ is .* everywhere, the worst takes"'
expect "... whether the fastest is the thriftiest: $(finding cslab-dmv-9-energy)" \
  eval 'finding cslab-dmv-9-energy | grep -qE "fastest( and the thriftiest|, and none|, cuda)"'
expect "each cell of a heat map says its time over the best of its line" \
  test "$(grep -cE '<text>(best|[0-9.]+)</text>' plots/nvidia-h200/cslab-dmv-3-naive-blocks.svg)" -ge 56
# Names in a title that the picture does not show.
elsewhere=$(awk '
  function judge(name) {
    for (name in named) if (shown !~ "<text>([^<]* )?" name "[,<]") print file ": " name
    split("", named); shown = ""
  }
  FNR == 1 { judge(); file = FILENAME }
  /text>.*: / {
    while (match($0, /<text>[^<]*: [^<]*/)) {
      title = substr($0, RSTART, RLENGTH); $0 = substr($0, RSTART + RLENGTH)
      sub(/^[^:]*: /, "", title)
      while (match(title, /(^|[^a-z0-9_])(cuda|blas|openmp|serial)\/[a-z0-9_]+/)) {
        name = substr(title, RSTART, RLENGTH); title = substr(title, RSTART + RLENGTH)
        sub(/^[^a-z]/, "", name); named[name]
      }
    }
    next
  }
  /<text>/ { shown = shown $0 }
  END { judge() }' "${pictures[@]}")
expect "every variant that a title names is in its figure: $elsewhere" test -z "$elsewhere"
# backwards FILE: the curves that go back, or straight up, along x.
backwards() {
  awk '/<g id="gnuplot_plot_/ { curve = $2 }
    /^\t<\/g>$/ { curve = "" }
    curve != "" && match($0, / d=.[^\047]*/) {
      count = split(substr($0, RSTART, RLENGTH), place, /[ ,L\047]+/)
      x = -1
      for (i = 3; i <= count; i += 2) {
        if (sub(/^M/, "", place[i])) x = -1
        if (place[i] != "" && count > 6 && place[i] + 0 < x) print curve
        x = place[i] + 0
      }
    }' "$1"
}
expect "no curve of a workload at every size goes back" eval 'test -z "$(backwards plots/nvidia-h200/every-size-3-matmul.svg)"'
expect "every caption is a sentence" \
  test -z "$(sed 's/<wbr>//g' plots/nvidia-h200/index.html | grep -oE '<figcaption>[^<]*' | grep -v '[.]$')"

# Experiments with energy for a ladder, on the device that it belongs to, but without a chart, or the other
# way round.
unlike_records() {
  local database experiment rungs chart
  for database in build/records/nvidia-h200/*.db; do
    experiment=$(basename "$database" .db)
    rungs=$(bin/parlab-emulated query "$database" "
      SELECT count(DISTINCT backend || variant) AS rungs FROM records
      WHERE energy_j IS NOT NULL AND arithmetic = 'ieee'
      GROUP BY workload, dtype, flops, bytes, on_gpu ORDER BY on_gpu DESC, rungs DESC LIMIT 1")
    chart=no
    if compgen -G "plots/nvidia-h200/$experiment-*-energy.svg" >/dev/null; then chart=yes; fi
    [[ $((${rungs:-0} >= 4)):$chart =~ ^(1:yes|0:no)$ ]] || echo "$experiment: ${rungs:-0} rungs with joules, chart $chart"
  done
}
expect "four rungs with joules have a chart of them, fewer none: $(unlike_records)" test -z "$(unlike_records)"
expect "among the records is a ladder" test -e plots/nvidia-h200/tiled-matmul-6-energy.svg
# Three of its rungs.
mkdir -p results/three
grep -E '"type":"run"|"variant":"(naive|coalesced|shmem)".*"energy"' < <(lines results/nvidia-h200/cslab-dmv.jsonl*) \
  >results/three/cslab-dmv.jsonl
expect "three rungs with joules are skipped" \
  eval 'own_make plots/three/cslab-dmv-9-energy.svg 2>&1 | grep -q "skip .*energy of four rungs or more" &&
        test ! -e plots/three/cslab-dmv-9-energy.svg'
expect "and the page says which rung costs the least" grep -q 'Is it the fastest?' plots/nvidia-h200/index.html
expect "no percent that is whole becomes 0: SQL divides whole numbers as such" \
  eval "! grep -rnE '/ ?100([^.0-9]|\$)' scripts --include=*.sql --include=*.gp --include=*.inc"
# ---- the gallery and README.md show what the records say ------------------------------------------
cp -a "$OLDPWD"/{README.md,docs} .
expect "the gallery is made" scripts/gallery.sh nvidia-h200 nvidia-h200-x4
says() { grep -oE '<(title|text)[ >][^<]*' "$1" | sort; } # whatever version of gnuplot drew it
for picture in docs/gallery/* "$OLDPWD"/docs/gallery/*; do
  name=${picture##*/}
  expect "$name says what the records say: make gallery" \
    diff -q <(says "docs/gallery/$name") <(says "$OLDPWD/docs/gallery/$name")
done
expect "README.md has the table of the records: make gallery" cmp README.md "$OLDPWD/README.md"
expect "each picture of the gallery has its title as alternative text: make gallery" cmp docs/gallery.md "$OLDPWD/docs/gallery.md"

expect "a figure and README.md say the same share of the limit: $(finding patras-atax-4-percent-of-roof)" \
  test "$(finding patras-atax-4-percent-of-roof | grep -oE 'reaches [0-9]+')" = "reaches $(sed -nE 's/^\| `atax`.* ([0-9]+)% \|.*/\1/p' README.md)"
for n in 1000 1024; do
  bin/parlab-emulated matmul $n --backend openmp --iterations 3 --format csv --results results/fixture/tiled-matmul.jsonl >/dev/null
done
expect "points of a report say so where they are in a panel with ours" \
  eval 'bin/parlab-emulated database results/fixture/tiled-matmul.jsonl few.db --views scripts/tiled-matmul/views.sql &&
        scripts/figure.sh few.db scripts/tiled-matmul/1-time.gp few && grep -q "<text>tiled (int), published</text>" few.svg'

# drawn_as NAME FIGURE...: the colours and shapes of the points of NAME (one workload or several) there.
drawn_as() {
  local name=$1 figure
  shift
  for figure; do
    grep -oE "#gpPt[0-9]+' [^>]* color='rgb\([^)]*\)'><title>${name}[,:]" "plots/nvidia-h200/$figure.svg" |
      sed -E "s/' .* color=/ /; s/'>.*//" | sort -u
  done
}
shapes=every-size-10-shapes ratios=every-size-8-ratio-float
one_look_in_two() {
  local looks
  looks=$(drawn_as "$1" $shapes $ratios)
  [[ $(wc -l <<<"$looks") = 2 && $(sort -u <<<"$looks" | wc -l) = 1 ]]
}
for workload in atax covariance dmv matmul; do
  expect "$workload looks the same in two figures" one_look_in_two $workload
done
same_variant() { # NAME FIGURE FIGURE
  local looks
  looks=$(drawn_as "$1[^:<]*" "$2"; drawn_as "$1[^:<]*" "$3")
  [[ $(wc -l <<<"$looks") = 2 && $(sort -u <<<"$looks" | wc -l) = 1 ]]
}
expect "cuda/shared looks the same in two figures" same_variant cuda/shared patras-atax-1-time patras-atax-6-time-float
expect "cuda/coalesced looks the same in two figures" same_variant cuda/coalesced cslab-dmv-6-all-time cslab-dmv-7-all-gflops
expect "no group of a figure is empty" eval '! grep -l -zE "<g fill=[^>]*>[[:space:]]*</g>" plots/nvidia-h200/*.svg'
expect "the page of a machine with everything, 13 workloads, stays below 6 MB: $(wc -c <plots/nvidia-h200/index.html)" \
  test "$(wc -c <plots/nvidia-h200/index.html)" -lt 6000000
expect "no title or label says hot or log" eval '! grep -lE "<text>[^<]*(, hot|, log)" plots/nvidia-h200/*.svg'
for colour in $(sed -n 's/^array colours.*= //p' scripts/figures/style.gp | grep -oE '0x[0-9A-F]{6}'); do
  # Its luminance, as the eye perceives it.
  expect "$colour has a contrast to white of 3 or more" awk -v rgb="$((colour >> 16)) $((colour >> 8 & 255)) $((colour & 255))" '
    function linear(v) { v /= 255; return v > 0.04045 ? ((v + 0.055) / 1.055) ^ 2.4 : v / 12.92 }
    BEGIN { split(rgb, c, " "); exit 1.05 / (0.2126 * linear(c[1]) + 0.7152 * linear(c[2]) + 0.0722 * linear(c[3]) + 0.05) < 3 }'
done
of_shapes='(atax|conv2d|convsep|covariance|dmv|matmul)'
expect "no other workload looks like that" test "$(drawn_as "$of_shapes" $shapes | wc -l)" = 6
expect "as many points have numbers as the records have" \
  test "$(grep -oE '<title>blas/cublas: ' plots/nvidia-h200/tiled-matmul-1-time.svg | wc -l)" = \
  "$(bin/parlab-emulated query build/records/nvidia-h200/tiled-matmul.db "SELECT count(*) FROM shown WHERE name = 'blas/cublas'")"
twice() { grep -oE ' id="[^"]*"' "$1" | sort | uniq -d | head -3; }
expect "each figure of every-size is on the page once: $(twice plots/nvidia-h200/index.html)" \
  eval 'grep -q "id=\"fig-every-size-1-dmv\"" plots/nvidia-h200/index.html &&
        test -z "$(twice plots/nvidia-h200/index.html)"'
if command -v chromium >/dev/null; then
  chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$tree/user" \
    --no-pdf-header-footer --print-to-pdf=page.pdf "file://$PWD/plots/nvidia-h200/index.html" 2>/dev/null
  expect "the page with all figures, printed: $(grep -ac '/Type */Page\>' page.pdf) pages, four for each of 13 workloads and two at the most" \
    test "$(grep -ac '/Type */Page\>' page.pdf)" -le 54
  if command -v pdftotext >/dev/null; then
    # on_paper PDF: the least height of a word in points, the most figures side by side, and how much of its
    # height the emptiest page (except the last) uses. A figure ends with its commit. A word's box is 1.164
    # times as high as its letters are declared to be; a turned word is higher than wide.
    on_paper() {
      pdftotext -bbox "$1" - | awk -F'"' '
        function close_page() { if (pages && (least == "" || used < least)) least = used }
        /<page / { close_page(); ++pages; tall = $4; used = 0 }
        /<word / {
          wide = $6 - $2; high = $8 - $4
          if (length($9) > 11 && wide > high && (size == "" || high < size)) size = high
          if ($8 / tall > used) used = $8 / tall
          if ($9 == ">commit</word>" && !((pages, column = int($2 / 150)) in seen)) {
            seen[pages, column]
            if (++abreast[pages] > most) most = abreast[pages]
          }
        }
        END { printf "%.2f %d %d\n", size / 1.164, most, 100 * least }'
    }
    paper=$(on_paper page.pdf)
    expect "... no word below 6 points, two figures abreast, no page nearly empty: $paper" \
      awk '{ exit !($1 >= 6 && $2 == 2 && $3 >= 40) }' <<<"$paper"
    sed 's/[.]figures { grid-template-columns: 1fr 1fr;/.figures { grid-template-columns: 1fr 1fr 1fr;/' \
      plots/nvidia-h200/index.html >three.html
    chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$tree/user" \
      --no-pdf-header-footer --print-to-pdf=three.pdf "file://$PWD/three.html" 2>/dev/null
    paper=$(on_paper three.pdf)
    expect "... three abreast are found out, and too small: $paper" awk '{ exit !($1 < 6 && $2 == 3) }' <<<"$paper"
  fi
fi
# A curve without a name, which the test above must find.
sed 's/how [.] in_place/how . "notitle"/' scripts/figures/curves.gp >lost && mv lost scripts/figures/curves.gp
expect "a curve that lost its name is found out" \
  eval 'own_make plots/nvidia-h200/patras-covariance-1-time.svg && nameless plots/nvidia-h200/patras-covariance-1-time.svg | grep -q gnuplot_plot'
# In the committed records, an older source and an accident are named and measured again. These would be
# wrong:
expect "no committed time is faster than the hardware, or of a variant that is gone" \
  eval '! bin/parlab-emulated audit results --format csv | grep -E "^(below_roof|source_gone),"'

end_tests
