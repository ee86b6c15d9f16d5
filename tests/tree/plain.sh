#!/bin/bash -p
# Comments and docs are plain English, as far as counting tells: few sentences begin with a genitive or a
# free relative, sentences and paragraphs are short, and some words are rare.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

# comments FILE...: each sentence of their comments, a line each.
comments() {
  awk '
    function flush(  i, n, parts) {
      gsub(/[.!?] +/, "&\n", block)
      n = split(block, parts, "\n")
      for (i = 1; i <= n; i++) if (split(parts[i], words, " ") >= 3) print parts[i]
      block = ""
    }
    FNR == 1 { flush(); slashes = FILENAME ~ /\.([ch]pp|cuh?|h|inc)$/ }
    { text = "" }
    slashes && /^ *\/\// { text = $0; sub(/^ *\/\/[\/!<]* ?/, "", text) }
    slashes && !/"/ && !/^ *\/\// && / \/\/ / { flush(); block = $0; sub(/.* \/\/ +/, "", block); flush(); next }
    !slashes && /^ *#[^!]/ { text = $0; sub(/^ *# ?/, "", text) }
    text == "" { flush(); next }
    { block = block (block == "" ? "" : " ") text }
    END { flush() }' "$@"
}
odd='^(What|Of|Those|Whoever|Whatever|Whose|That of|That which|By what|In what|From what|To what|Nothing of|None of) '

# prose FILE: its paragraphs, a line each, without code, tables, headings and links.
prose() {
  awk '
    function flush() {
      gsub(/!\[[^]]*\]\([^)]*\)/, "", block)
      gsub(/\]\([^)]*\)/, "]", block)
      gsub(/`[^`]*`/, "CODE", block)
      if (block ~ /[a-z]/) print block
      block = ""
    }
    / *```/ { flush(); code = !code; next }
    code { next }
    /^[|#<]|^ *$/ { flush(); next }
    /^ *([-*]|[0-9]+\.) / { flush() }
    { block = block " " $0 }
    END { flush() }' "$1"
}
# strings FILE...: each sentence of the strings in C++, a line each.
strings() {
  cat "$@" | sed -E "s/^ *\/\/.*//; s/'\\\\?\"'//g" | tr '\n' ' ' | sed -E 's/([^\\])" +"/\1/g' |
    grep -oE '"([^"\\]|\\.)*"' | sed -E 's/^"|"$//g; s/(\\n|[.!?:;][")*]*) +/&\n/g'
}
# cells FILE...: each sentence in their tables, a line each.
cells() { sed -nE '/^\|/ { s/`[^`]*`/CODE/g; s/[|.!?] +/&\n/gp }' "$@"; }
# a sentence that tells, and is no heading or question
odd_statement='^(What|Of|Whoever) .*\. *\|? *$'
# long_sentences FILE: the mean number of words in a sentence, when that is above 20.
long_sentences() {
  prose "$1" | awk '{ n = split($0, parts, /[.!?][")*]* +/)
      for (i = 1; i <= n; i++) if (words = split(parts[i], w, " ")) { sentences++; all += words } }
    END { if (sentences >= 8 && all / sentences > 20) printf "%.1f\n", all / sentences }'
}
long_paragraphs() { prose "$1" | awk 'NF > 120 { print NF " words: " substr($0, 1, 60) }'; }
# share PATTERN FILE: how many of 1000 lines have it.
share() { awk -v some="$(grep -ciE -e "$1" "$2")" 'END { print int(1000 * some / (NR ? NR : 1)) }' "$2"; }
rare='(^|[^a-z])(whoever|whomever|meanwhile|of which|behind|its kin|for want of|held against|in whose)([^a-z]|$)'

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mapfile -t sources < <(find src cuda serial openmp blas tests scripts -type f -regextype posix-extended \
  -regex '.*\.([ch]pp|cuh?|h|inc|sh|awk|mk|gp)' | sort)
mapfile -t documents < <(find ./*.md .github src docs -name '*.md' | sort)
comments "${sources[@]}" >"$folder/comments"
for document in "${documents[@]}"; do prose "$document"; done | sed -E 's/[.!?][")*]* +/&\n/g' >"$folder/prose"
cat "$folder/comments" "$folder/prose" >"$folder/all"

expect "there are comments and prose to count" test "$(wc -l <"$folder/comments")" -gt 5000 -a "$(wc -l <"$folder/prose")" -gt 500
few() { # PATTERN FILE LIMIT: at most so many of 1000 sentences have it; else some of these are shown.
  local of_thousand
  of_thousand=$(share "$1" "$2")
  ((of_thousand <= $3)) || { grep -iE -e "$1" "$2" | tail -3; false; }
}
none() { ! grep -E -e "$1" "$2"; } # PATTERN FILE
expect "at most 2 of 100 comment sentences begin with What, Of, Those ..." few "$odd" "$folder/comments" 20
expect "and of the docs" few "$odd" "$folder/prose" 20
expect "no sentence of the docs begins with What, Of, Whoever" none "$odd_statement" "$folder/prose"
mapfile -t programs < <(find src -name '*.[ch]pp' -o -name '*.inc' | sort)
strings "${programs[@]}" >"$folder/strings"
expect "there are strings to read" test "$(wc -l <"$folder/strings")" -gt 5000
expect "no sentence of a string does" none "$odd_statement" "$folder/strings"
cells "${documents[@]}" >"$folder/cells"
expect "none in a table does" none "$odd_statement" "$folder/cells"
expect "of 100 sentences at most 1 has whoever, meanwhile, behind ..." few "$rare" "$folder/all" 10
for document in "${documents[@]}"; do
  found=$(long_sentences "$document")
  expect "$document: a sentence has at most 20 words, on average: ${found:-yes}" test -z "$found"
  found=$(long_paragraphs "$document")
  expect "$document: no paragraph has more than 120 words: ${found:-none}" test -z "$found"
done

# Would a bad one be found?
cat >"$folder/bad.hpp" <<'END'
// Of others joules are not measured, whoever asks. What is said counts.
int a;  // Those of which it is told meanwhile.
// A good sentence is here.
const char* b = "// What is in a string is no comment";
END
comments "$folder/bad.hpp" >"$folder/bad"
expect "a sentence begins oddly" eval '! few "$odd" "$folder/bad" 20'
expect "those of a comment are counted, all of them" test "$(wc -l <"$folder/bad") $(share "$odd" "$folder/bad")" = "4 750"
expect "odd words are found" eval '! few "$rare" "$folder/bad" 10'
cat >"$folder/bad.cpp" <<'END'
const char* a = "A good one. What "
                "is bad is this.", *b = "What is it?", *c = "What it is";
char d = '"'; // What is a comment is none.
const char* e = "Of others they are found.";
END
strings "$folder/bad.cpp" >"$folder/bad"
expect "an odd sentence of a string is found, and no heading" test "$(grep -cE "$odd_statement" "$folder/bad")" = 2
printf '%s\n' '| a | It is good. Of others none is. |' '| Of a time | good |' >"$folder/bad.md"
cells "$folder/bad.md" >"$folder/bad"
expect "one in a table, too" test "$(grep -cE "$odd_statement" "$folder/bad")" = 1
words() { seq -s ' ' -f 'word%g' "$1"; }
for _ in 1 2 3 4 5 6 7 8; do printf '%s.\n' "$(words 21)"; done >"$folder/bad.md"
expect "a page of long sentences is found" test "$(long_sentences "$folder/bad.md")" = 21.0
expect "a long paragraph is found" test -n "$(long_paragraphs "$folder/bad.md")"
printf '%s\n' '```' "$(words 130)" '```' '| table |' "- $(words 70)" "- $(words 70)" >"$folder/good.md"
expect "code, tables and items of a list are none" test -z "$(long_paragraphs "$folder/good.md")"
end_tests
