#!/bin/bash -p
# Executes the `run:` steps of a GitHub workflow here, as its file says: scripts/workflow-steps.sh FILE JOB
# [FOLDER]. Steps run one after the other in FOLDER with the `env` of job and step, and end with the first
# that fails. A step with `uses:` is only printed, so its results must be there already. Values in ${{ }} are
# those of the variable of that name (GITHUB_TOKEN for github.token), or else empty. An `if:` is ignored: such
# a step runs. shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
set -euo pipefail
(($# >= 2)) || { sed -n '2,6s/^# //p' "$0" >&2; exit 2; }
python=
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c 'import yaml' 2>/dev/null; then python=$candidate && break; fi
done
[[ -n $python ]] || { echo "workflow-steps.sh: no Python here has yaml (package python3-yaml)" >&2; exit 2; }
exec "$python" - "$1" "$2" "${3:-.}" <<'E'
import os, re, subprocess, sys, yaml

file, job, folder = sys.argv[1:]
workflow = yaml.safe_load(open(file))["jobs"][job]


def value(text):
    name = lambda found: re.split(r"\s*\|\|", found[1])[0].strip().replace(".", "_").upper()
    return re.sub(r"\$\{\{(.*?)\}\}", lambda found: os.environ.get(name(found), ""), str(text))


def variables(of):
    return {name: os.environ.get(name, value(text)) for name, text in of.get("env", {}).items()}


for step in workflow["steps"]:
    if "run" not in step:
        print("not run: uses", step["uses"], flush=True)
        continue
    print("step:", step.get("name", "?"), flush=True)
    environment = {**os.environ, **variables(workflow), **variables(step)}
    status = subprocess.run(["bash", "-e", "-c", value(step["run"])], cwd=folder, env=environment).returncode
    if status != 0:
        sys.exit(f"step {step.get('name', '?')} ended with {status}")
E
