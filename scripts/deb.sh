#!/bin/bash -p
# Makes a Debian package of the program, without CUDA, in build/deb: `make deb`. It uses the programs that are
# already built. The package is for CPUs like this one's; MARCH=x86-64-v3 builds for others. Its maintainer is
# whom DEBFULLNAME and DEBEMAIL name, or else git's user.
# shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
set -euo pipefail
go_to_base
for command in dh dpkg-buildpackage fakeroot; do
  command -v $command >/dev/null || {
    echo "deb.sh: $command is missing (packages debhelper, dpkg-dev, fakeroot)" >&2
    exit 1
  }
done
tree=build/deb/parlab
rm -rf build/deb
mkdir -p $tree/build $tree/results
cp -a Makefile VERSION LICENSE README.md CHANGELOG.md src serial openmp cuda blas scripts docs debian tests $tree
cp -a results/published results/counts.jsonl.zst $tree/results
for part in units host emulated grade; do
  if [[ -e build/$part ]]; then cp -a build/$part $tree/build; fi
done
find build -maxdepth 1 -type f -exec cp -a -t $tree/build {} +
name=${DEBFULLNAME:-$(git config user.name || id -un)}
address=${DEBEMAIL:-$(git config user.email || echo "$(id -un)@$(hostname)")}
for file in $tree/debian/{control,changelog}; do
  text=$(<"$file")
  printf '%s\n' "${text//@MAINTAINER@/"$name <$address>"}" >"$file"
done
cd $tree
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS dpkg-buildpackage --build=binary --no-sign --no-check-builddeps --no-pre-clean
cd - >/dev/null
rm -rf $tree
ls build/deb/*.deb
