#!/bin/bash -p
# The pages in a real browser: every picture is there, nothing scrolls sideways on a phone or is cut
# off on paper, every link within the page leads somewhere, and nothing of a record is run.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

if ! command -v chromium >/dev/null; then
  echo "skipped: no chromium"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# look_at NAME: shows $work/NAME.html on a desktop, on a phone and, in the style of print, on A4; what
# was counted in each goes to NAME.says.
look_at() {
  sed 's/@media print/@media all/; s/(min-width: 46.01em), print/all/; s/(max-width: 46em)/not all/' \
    "$work/$1.html" >"$work/paper.html"
  sed "s/PAGE/$1.html/g" >"$work/wrap.html" <<'WRAP'
<iframe src="PAGE" width="1280" height="900"></iframe><iframe src="PAGE" width="400" height="800"></iframe>
<iframe src="paper.html" width="703" height="1000"></iframe>
<script>
addEventListener('load', () => {
  for (const frame of document.querySelectorAll('iframe')) {
    const page = frame.contentDocument, root = page.documentElement;
    const folded = page.querySelectorAll('details:not([open])').length, short = root.scrollHeight;
    const paper = frame.width === '703';
    for (const part of page.querySelectorAll('details')) part.open = !paper || part.open;
    const pictures = [...page.querySelectorAll('figure svg')];
    const ids = [...page.querySelectorAll('[id]')].map(e => e.id);
    const says = {
      width: frame.width,
      sideways: Math.max(root.scrollWidth, page.body.scrollWidth) - root.clientWidth,
      figures: page.querySelectorAll('figure').length,
      seen: pictures.filter(e => e.getBoundingClientRect().width > 200 &&
                                 e.getBoundingClientRect().height > 100).length,
      scripts: page.querySelectorAll('script, img, iframe, object, embed').length,
      folded: folded,
      times: Math.round(10 * root.scrollHeight / short) / 10,
      twice: ids.length - new Set(ids).size,
      nowhere: [...page.querySelectorAll('a[href^="#"]')].filter(
        a => !page.getElementById(a.getAttribute('href').slice(1))).length,
      unnamed: [...page.querySelectorAll('figure svg title')].filter(
        e => /^\s*(gnuplot|\\n|$)/i.test(e.textContent)).length,
      ran: page.title === 'ran' || 'ran' in frame.contentWindow,
    };
    const line = document.createElement('p');
    line.textContent = Object.entries(says).map(([k, v]) => k + '=' + v).join(' ');
    document.body.append(line);
  }
});
</script>
WRAP
  chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/user" \
    --allow-file-access-from-files --enable-logging=stderr --virtual-time-budget=30000 --dump-dom \
    "file://$work/wrap.html" >"$work/dom" 2>"$work/$1.log"
  grep -oE '<p>width=[^<]*' "$work/dom" >"$work/$1.says"
}

# expect_page NAME: what is demanded of every page.
expect_page() {
  local name=$1 says=$work/$1.says figures
  look_at "$name"
  expect "$name: shown on a desktop, on a phone and on paper" test "$(wc -l <"$says")" = 3
  expect "$name: nothing scrolls sideways, or is cut off on paper: $(grep -o 'sideways=[-0-9]*' "$says" | xargs)" \
    eval "! grep -qE 'sideways=[1-9]' '$says'"
  figures=$(grep -o '<figure' "$work/$name.html" | wc -l)
  expect "$name: each of $figures pictures is there" \
    test "$(grep -c "figures=$figures seen=$figures " "$says")" = 3
  expect "$name: no id twice, no link to nowhere, nothing active, nothing was run" \
    test "$(grep -c 'scripts=0 .*twice=0 nowhere=0 .*ran=false' "$says")" = 3
  expect "$name: what the mouse rests on has a name" test "$(grep -c ' unnamed=0 ' "$says")" = 3
  expect "$name: no error on the console" eval "! grep CONSOLE '$work/$name.log'"
}

page() { # NAME RECORDS FIGURES
  expect "$1: is written" bin/parlab-emulated page "$2" --figures "$3" --output "$work/$1.html"
}

# pages_of NAME: printed.
pages_of() {
  chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/user" \
    --no-pdf-header-footer --print-to-pdf="$work/$1.pdf" "file://$work/$1.html" 2>/dev/null
  grep -ac '/Type */Page\>' "$work/$1.pdf"
}

page h200 results/nvidia-h200 docs/gallery
expect_page h200
expect "h200: what is asked first is short, the rest unfolds: $(grep -o 'folded.*times=[0-9.]*' "$work/h200.says" | xargs)" \
  eval '! grep -v width=703 "$work/h200.says" | grep -qE "folded=[0-9] |times=([01]|2)[.]?[0-9]? "'
# shellcheck disable=SC2034 # used in a test that is a string
in_short=$(sed -n '/<section id="summary">/,/<\/section>/p' "$work/h200.html")
expect "h200: the first section names the fastest of each workload, its share of the roof, every claim" \
  eval 'for what in "#workload-dmv" "#workload-matmul" "Of the roof" "#claim-c6" "do not hold here"; do grep -qF "$what" <<<"$in_short" || exit 1; done'
# Every section but the first is left out.
sed '/<section id="summary">/,/<\/section>/!{/<section/,/<\/section>/d}' "$work/h200.html" >"$work/short.html"
expect "h200: printed, the summary has $(pages_of short) pages, 3 at the most" test "$(pages_of short)" -le 3

# A machine without a GPU: what the CPU of that one did.
mkdir -p "$work/no-gpu"
for file in results/nvidia-h200/*.jsonl*; do
  lines "$file" | grep -vE '"backend":"cuda"|"source":"[^"]*[.]cu"' |
    sed -E 's/"(gpu|driver|cuda)":"[^"]*"/"\1":""/g; s/"device":\{.*/"device":{"read":[],"copy":[],"units":{},"launch_s":0}}/' \
      >"$work/no-gpu/$(basename "${file%.zst}")"
done
page no-gpu "$work/no-gpu" "$work/nowhere"
expect "no-gpu: says so" grep -q 'no GPU here' "$work/no-gpu.html"
expect_page no-gpu

# Both side by side; the one without a GPU has the same name, in a folder of its own.
expect "index: is written" bin/parlab-emulated index results/nvidia-h200 "$work/no-gpu" results/published \
  --output "$work/index.html"
expect "index: leads to the page of each" \
  test "$(grep -oE 'href="(nvidia-h200|no-gpu)/index.html"' "$work/index.html" | sort -u | wc -l)" = 2
expect_page index

# A class, with one submission that does not compile, in a very long line.
mkdir "$work/submissions"
grep -v '[.]id = ' cuda/dmv/coalesced.cu >"$work/submissions/ann.cu"
printf 'int %0300d;\n' 0 >"$work/submissions/bob.cu"
expect "class: is graded" eval \
  "bin/parlab-emulated grade dmv '$work/submissions' --sizes 8 --hidden 9 --output '$work/graded' >/dev/null; test -s '$work/graded/index.html'"
cp "$work/graded/index.html" "$work/class.html"
cp "$work/graded/students/bob.html" "$work/student.html"
expect_page class
expect_page student

# Names that try to be markup.
mkdir -p "$work/evil" "$work/drawn"
evil="<script>ran=1;document.title='ran'<\\/script><img src=x onerror=ran=1>\\\\\"'\\&"
sed -E "s#\"(gpu|cpu|driver|compiler|flags)\":\"[^\"]*\"#\"\1\":\"$evil\"#g; s#\"detail\":\"[^\"]*\"#\"detail\":\"$evil\"#" \
  < <(lines results/nvidia-h200/cslab-dmv.jsonl*) >"$work/evil/cslab-dmv.jsonl"
echo '<svg onload="ran=1"><script>ran=1</script></svg>' >"$work/drawn/cslab-dmv-1-a&b.svg"
page evil "$work/evil" "$work/drawn"
expect "evil: the names are shown" grep -q '&lt;script&gt;ran' "$work/evil.html"
expect "evil: a picture with a script is not" grep -q 'Not shown: cslab-dmv-1-a&amp;b.svg' "$work/evil.html"
sed -i 's/<figure id="fig-cslab-dmv-1-a-b">/<div id="fig-cslab-dmv-1-a-b">/' "$work/evil.html"
expect_page evil

end_tests
