#!/bin/bash -p
# The files for GitHub and GitLab are YAML, and do the same as .ci/run. The workflow for pull requests is
# executed as its file says, on a repository with one kernel.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

root=$PWD
files=(.github/workflows/*.yml .github/ISSUE_TEMPLATE/*.yml .gitlab-ci.yml CITATION.cff docs/how-to/pull-request.yml)
python=
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c 'import yaml' 2>/dev/null; then python=$candidate && break; fi
done
expect "CITATION.cff has the version of VERSION" grep -qx "version: \"$(<VERSION)\"" CITATION.cff
expect "CHANGELOG.md has a date for it" grep -qE "^## $(<VERSION) - 20[0-9]{2}-[0-9]{2}-[0-9]{2}$" CHANGELOG.md
if [[ -z $python ]]; then
  echo "skipped: no Python here has yaml"
  end_tests
fi
for file in "${files[@]}"; do
  expect "$file is YAML" "$python" -c 'import sys, yaml; assert yaml.safe_load(open(sys.argv[1]))' "$file"
done
expect "both run .ci/run in a container of Debian 12" "$python" -c '
import yaml
job = yaml.safe_load(open(".github/workflows/check.yml"))["jobs"]["check"]
assert job["container"] == "debian:12" and job["steps"][-1]["run"] == ".ci/run", job
job = yaml.safe_load(open(".gitlab-ci.yml"))["check"]
assert job["image"] == "debian:12" and job["script"] == [".ci/run"], job'

# A repository whose kernel becomes slower between its two checkouts.
copy_tree
mkdir "$tree/clones" && cd "$tree/clones" || exit
sed '/\.id = /d' "$tree/openmp/dmv/rows.cpp" >mine.cpp
for side in before after; do
  mkdir -p $side/openmp/dmv
  cp mine.cpp $side/openmp/dmv/mine.cpp
  (cd $side && git init -q && git add . && git -c user.name=x -c user.email=x@y commit -qm "$side")
done
# Replacements for outside services: a clone is a copy of this tree and its build, gh records its arguments,
# and nothing is installed.
mkdir bin
cat >bin/git <<EOF
#!/bin/bash
if [[ \$1 == clone ]]; then mkdir "\${@: -1}" && cd "$tree" && exec cp -a Makefile VERSION src serial openmp cuda blas scripts bin build results "$tree/clones/\${@: -1}"; fi
exec $(command -v git) "\$@"
EOF
cat >bin/gh <<'EOF'
#!/bin/bash
echo "$@" >>gh.said
[[ $* != *--edit-last* ]] # there is none yet
EOF
chmod +x bin/*
unset COMMIT
run_workflow() { # [ADDRESS of parlab]
  PARLAB=${1-https://localhost/parlab} env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS PATH="$PWD/bin:$PATH" NVCC='' NO_INSTALL=1 ROUNDS=2 MEASURE='dmv 64 --variant openmp/mine --threads 1 --iterations 12' \
    SLOWER=900% GITHUB_STEP_SUMMARY=summary.md GITHUB_REPOSITORY=you/kernels GITHUB_EVENT_PULL_REQUEST_NUMBER=7 \
    "$root/scripts/workflow-steps.sh" "$root/docs/how-to/pull-request.yml" compare .
}
expect "without an address of parlab it says what to set" eval \
  '! run_workflow "" 2>said && grep -q "PARLAB: set the variable PARLAB" said'
expect "each step of the workflow succeeds" run_workflow
expect "the table says what was compared" grep -q '^1 point compared: ' table.md
commit=$(git -C after rev-parse --short=10 HEAD)
expect "with the commits of the repository" grep -q "^| after | .*, commit $commit, " table.md
expect "it is in the summary" grep -qxF "$(head -1 table.md)" summary.md
expect "the history has both runs" test "$(grep -c '"samples_us"' history.jsonl)" = 2
expect "the table is posted" grep -qx 'pr comment 7 --repo you/kernels --body-file table.md' gh.said
rm -r build-before build-after summary.md ./*.jsonl
sed -i 's/y\[row\] = sum/y[row] = sum + 1/' after/openmp/dmv/mine.cpp
expect "a kernel that is wrong now fails the last step" eval '! run_workflow 2>said && grep -q "step Fail if slower ended with 1" said'
expect "and is in the table" grep -q '^| failed | dmv/openmp/mine ' table.md
end_tests
