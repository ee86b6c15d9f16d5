#!/bin/bash -p
# Takes a picture of a part of a page: scripts/page-picture.sh PAGE.html ID OUT.png [WIDTH HEIGHT]
# From the element with that id on downwards, as Chromium shows it on a screen, with what is printed
# unfolded.
# shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
set -euo pipefail

page=$(realpath "$1") id=$2 out=$3 width=${4:-900} height=${5:-760}
command -v chromium >/dev/null || {
  echo "page-picture.sh: needs chromium (Debian package chromium)" >&2
  exit 1
}
[[ -e $page ]] || {
  echo "page-picture.sh: no $page: run make figures" >&2
  exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/frame.html" <<FRAME
<body style="margin:0;overflow:hidden">
<iframe src="file://$page" style="border:0;width:${width}px;height:60000px"></iframe>
<script>
addEventListener('load', () => {
  const frame = document.querySelector('iframe');
  const page = frame.contentDocument, part = page.getElementById('$id');
  for (const folded of page.querySelectorAll('details.printed')) folded.open = true;
  if (part) frame.style.marginTop = 10 - part.getBoundingClientRect().top + 'px';
});
</script>
FRAME
# Its own profile folder and twice the pixels: sharp on any screen.
chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
  --user-data-dir="$work/user" --allow-file-access-from-files --force-device-scale-factor=2 \
  --window-size="$width,$height" --screenshot="$work/picture.png" "file://$work/frame.html" \
  >"$work/log" 2>&1 || {
  cat "$work/log" >&2
  exit 1
}
mv "$work/picture.png" "$out"
echo "  wrote $out"
