#!/bin/bash -p
# `make deb` makes a package that lintian accepts and whose program runs. Without the tools this is left out,
# with a line that says so.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

for command in dh dpkg-buildpackage fakeroot lintian; do
  command -v $command >/dev/null || {
    echo "skipped: $command is not here"
    end_tests
  }
done
copy_tree
cp -a README.md CHANGELOG.md LICENSE docs debian "$tree"
cp -a results/counts.jsonl.zst "$tree/results"
cd "$tree" || exit
export DEBFULLNAME='A & B' DEBEMAIL=someone@example.org
expect "the package is built" own_make NVCC= deb
package=(build/deb/parlab_*.deb)
expect "its maintainer made it" test "$(dpkg-deb -f "${package[0]}" Maintainer)" = 'A & B <someone@example.org>'
# It prefers not to run as root, and depends on the clock.
lintian "${package[0]}" 2>&1 | grep -E '^[EW]: ' >complaints
expect "lintian does not complain: $(head -3 complaints)" test ! -s complaints
dpkg-deb -x "${package[0]}" unpacked
expect "its program has the version" eval 'unpacked/usr/bin/parlab --version | grep -qF "parlab $(cat VERSION),"'
expect "and verifies a kernel" eval "unpacked/usr/bin/parlab dmv 64 --variant serial/plain,cuda/naive --iterations 2 2>&1 | grep -q 'passed, 0 failed'"
expect "there is a manual page" eval "zcat unpacked/usr/share/man/man1/parlab.1.gz | grep -q 'Usage: parlab'"
end_tests
