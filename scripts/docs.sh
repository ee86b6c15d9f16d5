#!/bin/bash -p
# Builds the documentation as a site: scripts/docs.sh, after a build. build/docs/pages has the pages, with
# those that the program writes itself; build/docs/site the site. Without Doxygen the headers of a
# kernel are left as they are.
# shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
set -euo pipefail
cd "${0%/*}/.."

parlab=${PARLAB:-bin/parlab-emulated}
into=${1:-build/docs}
pages=$into/pages
rm -rf "$into"
mkdir -p "$pages"
cp -a docs/. scripts/mkdocs.css "$pages"

# A page may lead to a file beside docs/: the site has a copy of it, as text.
find "$pages" -name '*.md' | while read -r page; do
  up=${page#"$pages"/}
  up=$(sed 's#[^/]*$##; s#[^/]*/#../#g' <<<"$up")
  { grep -oE "\]\($up\.\./[^)#]+" "$page" || true; } | sort -u | while read -r link; do
    file=${link#"]($up../"}
    mkdir -p "$(dirname "$pages/files/$file")"
    cp "$file" "$pages/files/$file.txt"
    sed -i "s#](${link#"]("})#](${up}files/$file.txt)#" "$page"
  done
done

# help_of ARGUMENT...: the help text, under a heading.
help_of() {
  printf '\n## %s\n\n```\n' "parlab${1:+ $1}"
  "$parlab" "$@" --help | sed 's/parlab-emulated/parlab/g'
  echo '```'
}
{
  echo "# Command line"
  printf '\nAll of it is what `--help` prints, and the manual page, too.\n'
  help_of
  for command in $("$parlab" --help --format json | grep -oP '"command":"\K\w+'); do
    help_of "$command"
  done
} >"$pages/reference/command-line.md"

{
  echo "# Variants and their tunables"
  printf '\nAll of it is what `--list` prints: each variant with its number, types and tunables, their defaults and limits, and its idea.\n'
  for workload in $("$parlab" --list --format json | grep -oP '"workload":"\K\w+' | uniq); do
    printf '\n## %s\n\n```\n' "$workload"
    "$parlab" "$workload" --list
    echo '```'
  done
} >"$pages/reference/tunables.md"

# A heading is a comment of the table.
awk '
  BEGIN { print "# Causes\n\nWhy a verdict is what it is, a number is missing, or a note was made; `{0}` and `{1}` stand for the arguments." }
  /^PARLAB_CAUSE\(none/ { begun = 1; next }
  /^\/\/ / && begun { heading = substr($0, 4); gsub(/\//, "", heading) }
  /^PARLAB_CAUSE\(/ && begun {
    if (heading != "") print "\n## " toupper(substr(heading, 1, 1)) substr(heading, 2) "\n\n| cause | words |\n|---|---|"
    else if (!table) print "\n| cause | words |\n|---|---|"
    heading = ""; table = 1
    name = $0; sub(/^PARLAB_CAUSE\(/, "", name); sub(/,.*/, "", name)
    words = $0; sub(/^[^"]*"/, "", words); sub(/"\)$/, "", words)
    gsub(/\\"/, "\"", words); gsub(/\|/, "\\|", words); gsub(/</, "\\&lt;", words)
    print "| `" name "` | " words " |"
  }' src/facts/causes.inc >"$pages/reference/causes.md"

if command -v doxygen >/dev/null; then
  # Comments of the headers are plain ones; those behind a member belong to it.
  doxygen - <<END >"$into/doxygen.log" 2>&1
INPUT = src/gpu src/host/host.hpp src/host/vectors.hpp
FILE_PATTERNS = *.hpp
INPUT_FILTER = "sed -E 's#^( *)// #\1/// #; s#([;,{]) +// #\1 ///< #'"
PROJECT_NAME = "parlab: the view of a GPU"
OUTPUT_DIRECTORY = $pages/reference
HTML_OUTPUT = gpu
EXTRACT_ALL = YES
JAVADOC_AUTOBRIEF = YES
MARKDOWN_SUPPORT = NO
GENERATE_LATEX = NO
PREDEFINED = __host__= __device__= __global__= __forceinline__=inline
HAVE_DOT = NO
QUIET = YES
END
  printf '\n[All declarations](gpu/index.html)\n' >>"$pages/reference/gpu.md"
  rm -f "$pages"/reference/gpu/*.md5 "$pages"/reference/gpu/*.map
fi

cp scripts/mkdocs.yml "$into"
mkdocs build --strict --quiet --config-file "$into/mkdocs.yml"
echo "  the documentation: $into/site/index.html"
