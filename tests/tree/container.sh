#!/bin/bash -p
# Builds the Containerfile with the variants of one workload, which takes minutes, and runs its program.
# Without a builder, or an image of Debian 12, this is left out, with a line that says so.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

builder=
for candidate in buildah podman; do
  if command -v $candidate >/dev/null; then builder=$candidate && break; fi
done
[[ -n $builder ]] || { echo "skipped: neither buildah nor podman is here"; end_tests; }
$builder images debian:12 2>/dev/null | grep -q 12 || timeout 60 $builder pull -q docker.io/library/debian:12 >/dev/null 2>&1 ||
  { echo "skipped: $builder has no image debian:12, and reaches none"; end_tests; }

context=$(mktemp -d)
image=parlab-test-$$
trap 'rm -rf "$context"; $builder rmi -f $image >/dev/null 2>&1' EXIT
cp -a Containerfile .containerignore Makefile VERSION src scripts results/published "$context"
for backend in serial openmp cuda blas; do
  mkdir "$context/$backend" && cp -a $backend/dmv "$context/$backend"
done
# To work in more than its own folder, a builder needs rights that not everybody has.
build=(build)
[[ $builder = podman ]] || build=(bud)
expect "the image is built" "$builder" "${build[@]}" --isolation chroot --build-arg TARGETS=bin/parlab-emulated \
  -t $image -f "$context/Containerfile" "$context"
in_image() {
  local made status
  if [[ $builder = podman ]]; then
    podman run --rm $image "$@"
    return
  fi
  made=$(buildah from $image) && buildah run --isolation chroot "$made" -- "$@"
  status=$?
  buildah rm "$made" >/dev/null
  return $status
}
expect "its program verifies a kernel" eval \
  "in_image bin/parlab-emulated dmv 64 --variant serial/plain,cuda/naive --iterations 2 2>&1 | grep -q 'passed, 0 failed'"
end_tests
