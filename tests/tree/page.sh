#!/bin/bash -p
# The pages in a real browser: every picture is there, nothing scrolls sideways on a phone or is cut off on
# paper, every link within the page leads somewhere, no text of a record is executed, dark and light are
# readable, and the page's own script works.
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

# look_at NAME: shows $work/NAME.html on a desktop, on a phone and, in print style, on Letter; the counts of
# each go to NAME.says.
look_at() {
  sed 's/@media print/@media all/; s/(min-width: 46.01em), print/all/; s/(max-width: 46em)/not all/' \
    "$work/$1.html" >"$work/paper.html"
  sed "s/PAGE/$1.html/g" >"$work/wrap.html" <<'WRAP'
<iframe src="PAGE" width="1280" height="900"></iframe><iframe src="PAGE" width="400" height="800"></iframe>
<iframe src="paper.html" width="970" height="700"></iframe>
<script>
addEventListener('load', () => {
  for (const frame of document.querySelectorAll('iframe')) {
    const page = frame.contentDocument, root = page.documentElement;
    const folded = page.querySelectorAll('details:not([open])').length, short = root.scrollHeight;
    const paper = frame.width === '970';
    for (const part of page.querySelectorAll('details')) part.open = !paper || part.open;
    // Of alternatives one is shown.
    const shown = e => !e.closest('.choice > div') ||
        frame.contentWindow.getComputedStyle(e.closest('.choice > div')).display !== 'none';
    const figures = [...page.querySelectorAll('figure')].filter(shown);
    const pictures = figures.flatMap(e => [...e.querySelectorAll('svg')]);
    const ids = [...page.querySelectorAll('[id]')].map(e => e.id);
    const says = {
      width: frame.width,
      sideways: Math.max(root.scrollWidth, page.body.scrollWidth) - root.clientWidth,
      figures: figures.length,
      seen: pictures.filter(e => e.getBoundingClientRect().width > 200 &&
                                 e.getBoundingClientRect().height > 40).length,
      scripts: page.querySelectorAll('script, img, iframe, object, embed').length - 1, // its own
      folded: folded,
      times: Math.round(10 * root.scrollHeight / short) / 10,
      twice: ids.length - new Set(ids).size,
      nowhere: [...page.querySelectorAll('a[href^="#"]')].filter(
        a => !page.getElementById(a.getAttribute('href').slice(1))).length,
      unnamed: [...page.querySelectorAll('figure svg title')].filter(
        e => /^\s*(gnuplot|\\n|$)/i.test(e.textContent)).length,
      // on paper, in points
      smallest: paper ? Math.round(10 * Math.min(
        ...pictures.flatMap(e => [...e.querySelectorAll('text')].map(t => e.getBoundingClientRect().width / e.viewBox.baseVal.width *
          parseFloat(frame.contentWindow.getComputedStyle(t).fontSize))).filter(v => v > 0),
        ...[...page.querySelectorAll('p, td, small, figcaption, li, dd')].filter(e => e.offsetHeight > 0).map(
          e => parseFloat(frame.contentWindow.getComputedStyle(e).fontSize))) * 7.5) / 100 : 100,
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

# expect_page NAME: the requirements for every page.
expect_page() {
  local name=$1 says=$work/$1.says
  look_at "$name"
  expect "$name: shown on a desktop, on a phone and on paper" test "$(wc -l <"$says")" = 3
  expect "$name: nothing scrolls sideways, or is cut off on paper: $(grep -o 'sideways=[-0-9]*' "$says" | xargs)" \
    eval "! grep -qE 'sideways=[1-9]' '$says'"
  expect "$name: each picture is there: $(grep -oE 'figures=[0-9]* seen=[0-9]*' "$says" | xargs)" \
    test "$(grep -cE 'figures=([0-9]+) seen=\1 ' "$says")" = 3
  expect "$name: no id twice, no link to nowhere, nothing active, nothing was run" \
    test "$(grep -c 'scripts=0 .*twice=0 nowhere=0 .*ran=false' "$says")" = 3
  expect "$name: no word below six points on paper: $(grep -oE 'smallest=[0-9.]*' "$says" | xargs)" \
    test "$(grep -cE ' smallest=([6-9]|[0-9]{2})' "$says")" = 3
  expect "$name: what the mouse rests on has a name" test "$(grep -c ' unnamed=0 ' "$says")" = 3
  expect "$name: no error on the console" eval "! grep CONSOLE '$work/$name.log'"
}

page() { # NAME RECORDS FIGURES
  expect "$1: is written" bin/parlab-emulated page "$2" --figures "$3" --output "$work/$1.html"
}

page h200 results/nvidia-h200 docs/gallery
expect_page h200
expect "h200: what is asked first is short, the rest unfolds: $(grep -o 'folded.*times=[0-9.]*' "$work/h200.says" | xargs)" \
  eval '! grep -v width=970 "$work/h200.says" | grep -qE "folded=[0-9] |times=[01]([.][0-9])? "'
# shellcheck disable=SC2034 # used in a test that is a string
first=$(sed '/<section id="workload-/,$d' "$work/h200.html")
expect "h200: the first screen says what this is, what it found, and how far each workload comes" \
  eval 'for what in "13 computations" "#workload-dmv" "#workload-matmul" "#claims" "as fast as the library" "as accurate" "of the limit"; do
    grep -qF "$what" <<<"$first" || exit 1; done'
# in_browser NAME SCRIPT [OPTION...]: the results of SCRIPT in a frame of the page, with its parts as
# variables
in_browser() {
  local name=$1 script=$2
  shift 2
  cat >"$work/try.html" <<TRY
<iframe src="$name.html" width="1280" height="800"></iframe>
<script>
addEventListener('load', () => {
  const frame = document.querySelector('iframe'), page = frame.contentDocument, view = frame.contentWindow;
  const one = s => page.querySelector(s), all = s => [...page.querySelectorAll(s)];
  document.title = String((() => { $script })());
});
</script>
TRY
  chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/user" \
    --allow-file-access-from-files --virtual-time-budget=10000 "$@" --dump-dom "file://$work/try.html" 2>/dev/null |
    sed -nE 's/.*<title>(.*)<\/title>.*/\1/p'
}
tries() { # WHAT EXPECTED SCRIPT [OPTION...]
  local what=$1 expected=$2 found
  shift 2
  found=$(in_browser h200 "$@")
  expect "$what: $found" test "$found" = "$expected"
}
tries "in 800 rows of pixels is the picture of all workloads" true \
  "const box = [...one('#fig-first').querySelectorAll('svg')].map(e => e.getBoundingClientRect()).find(e => e.width);
   return box.bottom < 800"
tries "a name in a key is a switch, by mouse and keyboard" 'true false true' "
  const key = one('[role=switch]'), curve = key.closest('g[id*=gnuplot_plot_]'), off = () => curve.classList.contains('off');
  key.dispatchEvent(new view.MouseEvent('click', {bubbles: true}));
  const first = off(), checked = key.getAttribute('aria-checked');
  key.dispatchEvent(new view.KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
  return [first, checked, !off()].join(' ')"
tries "tables sort by quantity" true "
  for (const part of all('details')) part.open = true;
  const table = all('#energy table').at(-1), column = [...table.tHead.rows[0].cells].find(e => e.textContent === 'energy');
  column.click();
  const unit = {J: 1, mJ: 1e-3, 'µJ': 1e-6};
  const joules = [...table.tBodies[0].rows].map(e => e.cells[column.cellIndex].innerText.split(' ')).map(([v, u]) => v * unit[u]);
  return joules.length > 3 && joules.every((v, i) => i === 0 || joules[i - 1] <= v)"
tries "what a claim says and why it holds is seen without unfolding anything" true "
  const claim = one('#claim-c6'), link = all('#claims .grid a').find(e => e.textContent.trim().endsWith(' C6'));
  return link.getAttribute('href') === '#claim-c6' && !claim.closest('details') && claim.offsetHeight > 0 &&
    /holds.*report cslab-dmv says: .*shared memory.*Judged by: speed of shmem over coalesced.* of /
      .test(claim.innerText.replaceAll('\\n', ' '))"
tries "a claim stays where it is when it is clicked, and leads to its rule and back" '#claim-c6 #rule-c6 #claim-c6' "
  const to = s => one(s).getAttribute('href');
  return [to('#claim-c6 > a'), to('#claim-c6 div a'), to('#rule-c6 a')].join(' ')"
tries "beside each heading that the contents lead to is a way back" true "
  return all('#contents a[href^=\"#\"]').every(a => one(a.getAttribute('href') + ' > h2 > a[href=\"#contents\"]'))"
tries "no word is said twice" 0 "
  return (page.body.innerText.match(/\\b(from|to|the|a|of|in|is|at|with) \\1\\b/g) || []).length"
tries "what no reader asked for is folded" false "
  return /sys.class|make counters/.test(page.body.innerText)"
tries "each figure says in a sentence what it shows, by the record" 0 "
  const named = e => /^fig-[a-z-]*-[0-9]+-/.test(e.id);
  const words = e => [...e.querySelectorAll('svg')].map(s => s.getAttribute('aria-label'));
  return all('figure').filter(e => !e.querySelector('figcaption').textContent || words(e).some(w =>
    !/ .* .*[.0-9a-z]\$/.test(w) || /^[a-z-]+-[0-9]+-/.test(w) ||
    (named(e) && !(w.includes(': ') && e.querySelector('figcaption').textContent.startsWith(w))))).length"
tries "claims are filtered by their verdict" true "
  const rows = all('#claims .cards tbody tr:not(.group)'), button = all('.filter button').find(e => /not hold/.test(e.textContent));
  button.click();
  const left = rows.filter(e => !e.hidden);
  return left.length > 0 && left.length < rows.length && left.every(e => /does not hold/.test(e.textContent)) &&
    all('#claims .grid a').filter(e => !e.hidden).length === left.length &&
    all('#claims .said li').filter(e => e.offsetHeight > 0).length === left.length"
tries "a point says what it is at the foot of the page" true "
  const point = one('figure .disc');
  point.dispatchEvent(new view.PointerEvent('pointerover', {bubbles: true}));
  return !one('#says').hidden && one('#says').textContent === point.querySelector('title').textContent"
tries "a rung leads to its curve, and the others fade" 'true 0.12' "
  const link = all('ol.ladder a').find(e => one(e.getAttribute('href')));
  view.location.hash = link.getAttribute('href');
  const curve = one(link.getAttribute('href'));
  for (let part = curve.closest('details'); part; part = part.parentElement.closest('details')) part.open = true;
  const other = [...curve.closest('svg').querySelectorAll('g[id*=gnuplot_plot_]')].find(e => e !== curve);
  return [curve.matches(':target'), view.getComputedStyle(other).opacity].join(' ')"
# Colours of text and background, as the eye perceives them.
contrast="
  const light = s => { const [r, g, b] = view.getComputedStyle(one(s)).getPropertyValue(s === 'body' ? 'background-color' : 'color')
    .match(/[0-9.]+/g).map(v => v / 255).map(v => v > 0.04 ? ((v + 0.055) / 1.055) ** 2.4 : v / 12.92);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05; };
  const ratio = s => Math.max(light(s), light('body')) / Math.min(light(s), light('body'));"
tries "dark text on light ground" 'true true' "$contrast
  return [light('body') > 0.5, ['p', 'nav a', 'figcaption'].every(s => ratio(s) > 4.5)].join(' ')"
tries "light text on dark ground where that is liked" 'true true' "$contrast
  return [light('body') < 0.2, ['p', 'nav a', 'figcaption'].every(s => ratio(s) > 4.5)].join(' ')" \
  --blink-settings=preferredColorScheme=0
# Without its script a page has the same words, except for the filter.
sed 's/<script>.*/<script>/; /<script>/,/<\/script>/d' "$work/h200.html" >"$work/still.html"
words_of="return all('section, figure, table, details, ol.ladder > li').length"
expect "without scripts nothing is missing" \
  test "$(in_browser still "$words_of")" = "$(in_browser h200 "$words_of")"

# README.md and the gallery show the contents of the records; make gallery makes both.
expect "the first picture is written alone" bin/parlab-emulated page results/nvidia-h200 --first "$work/alone"
expect "the picture of README.md is that of the records" cmp "$work/alone/first-to-fastest.svg" docs/gallery/first-to-fastest.svg
expect "the table of README.md is that of the records" \
  diff "$work/alone/first-to-fastest.md" <(sed '1,/^<!-- first-to-fastest/d; /^<!-- end -->/,$d' README.md)

# A machine without a GPU: the CPU results of that one.
mkdir -p "$work/no-gpu"
for file in results/nvidia-h200/*.jsonl*; do
  lines "$file" | grep -vE '"backend":"cuda"|"source":"[^"]*[.]cu"' |
    sed -E 's/"(gpu|driver|cuda)":"[^"]*"/"\1":""/g; s/"device":\{.*/"device":{"read":[],"copy":[],"units":{},"launch_s":0}}/' \
      >"$work/no-gpu/$(basename "${file%.zst}")"
done
page no-gpu "$work/no-gpu" "$work/nowhere"
expect "no-gpu: says so" grep -q 'no GPU here' "$work/no-gpu.html"
expect_page no-gpu

# Both together; the one without a GPU has the same name, in a separate folder.
expect "index: is written" bin/parlab-emulated index results/nvidia-h200 "$work/no-gpu" results/published \
  --output "$work/index.html"
expect "index: leads to the page of each" \
  test "$(grep -oE 'href="(nvidia-h200|no-gpu)/index.html"' "$work/index.html" | sort -u | wc -l)" = 2
expect_page index
found=$(in_browser index "
  const shown = () => all('.choice > div').filter(e => view.getComputedStyle(e).display !== 'none').map(e => e.id).join();
  const before = shown();
  view.location.hash = '#first-no-gpu';
  const link = one('.choice > p a[href=\"#first-no-gpu\"]'), other = one('.choice > p a');
  const looks = e => view.getComputedStyle(e).backgroundColor;
  return [before, shown(), link.getBoundingClientRect().top >= 0, looks(link) !== looks(other)].join(' ')")
expect "index: a link chooses the machine whose first screen is shown, looks chosen and stays seen: $found" \
  test "$found" = "first-nvidia-h200 first-no-gpu true true"

# A class with one submission that does not compile, in a very long line.
mkdir "$work/submissions"
grep -v '[.]id = ' cuda/dmv/coalesced.cu >"$work/submissions/ann.cu"
printf 'int %0300d;\n' 0 >"$work/submissions/bob.cu"
expect "class: is graded" eval \
  "bin/parlab-emulated grade dmv '$work/submissions' --sizes 8 --hidden 9 --output '$work/graded' >/dev/null; test -s '$work/graded/index.html'"
cp "$work/graded/index.html" "$work/class.html"
cp "$work/graded/students/bob.html" "$work/student.html"
expect_page class
expect_page student

# Names that contain markup.
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
