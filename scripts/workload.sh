#!/bin/bash
# Makes a new workload to start from: scripts/workload.sh NAME "EXTENTS" ["PARAMETERS"]. It declares one input
# a and one output b of these extents, and computes b = a + a, plus each parameter: a declaration with its
# reference loop, a serial variant, an OpenMP one and a naive kernel. All of them pass; then you change each.
# docs/how-to/adding-a-workload.md explains every step.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() {
  echo "workload: $*" >&2
  exit 2
}
name=${1:-}
[[ $name =~ ^[a-z][a-z0-9_]*$ ]] || fail "NAME='$name': small letters, digits and _, a letter first"
for there in {src/workloads,serial,openmp,cuda}/"$name"{,.hpp,.cpp}; do
  [[ ! -e $there ]] || fail "NAME=$name: there is such a workload already, $there"
done
if [[ $name == parlab ]] || grep -q "\.name = \"$name\"" src/commands/*.cpp; then
  fail "NAME=$name: a command is called so"
fi
read -ra extents <<<"${2:-}"
((${#extents[@]} >= 1 && ${#extents[@]} <= 4)) || fail "EXTENTS='${2:-}': one to four names, as in EXTENTS=\"rows cols\""
read -ra parameters <<<"${3:-}"
numbers=("${extents[@]}" "${parameters[@]}")
# Names that the files to be written have already.
used='a|b|i|p|count|block|threads|gpu|gpus|tunables'
words='
  and asm auto bool break case catch char class const continue default delete
  do double else enum explicit export extern false float for friend goto if
  inline int long mutable namespace new not operator or private protected
  public register requires return short signed sizeof static struct switch
  template this throw true try typedef typename union unsigned using virtual
  void volatile while xor '
for number in "${numbers[@]}"; do
  who="EXTENTS and PARAMETERS: '$number'"
  [[ $number =~ ^[a-z][a-z0-9_]*$ ]] || fail "$who: small letters, digits" \
    "and _, a letter first; blanks between names"
  [[ ! $number =~ ^($used)$ ]] || fail "$who is taken, as are ${used//|/, }"
  [[ ! $words =~ [[:space:]]${number}[[:space:]] ]] ||
    fail "$who is a word of C++"
done
for parameter in "${parameters[@]}"; do
  ! grep -q "{\"$parameter\"," src/cli/*options.cpp src/commands/*.cpp ||
    fail "PARAMETERS: '$parameter' is an option already; a parameter" \
      "becomes one"
done
twice=$(printf '%s\n' "${numbers[@]}" | sort | uniq -d | paste -sd ' ')
[[ -z $twice ]] || fail "EXTENTS and PARAMETERS: '$twice' twice"

contract=$(sed -E 's/(^|_)(.)/\u\2/g' <<<"$name")
list() { # SEPARATOR FORMAT NAMES...: each name, printed so
  local text='' one
  for one in "${@:3}"; do
    # shellcheck disable=SC2059
    text+=${text:+$1}$(printf "$2" "$one")
  done
  echo "$text"
}
product=$(list ' * ' 'p.%s' "${extents[@]}")
shape=$(list ', ' '"%s"' "${extents[@]}")
plus=$(list '' ' + %s' "${parameters[@]}")
taken=$(list '' ', std::int64_t %s' "${parameters[@]}")
given=$(list '' ', p.%s' "${parameters[@]}")
mkdir -p "serial/$name" "openmp/$name" "cuda/$name"

cat >"src/workloads/$name.hpp" <<END
// $name: b = a + a$plus.
#pragma once

#include <cstdint>

#include "core/register.hpp"

namespace parlab {

struct $contract {
  // a and b: $(list ' x ' '%s' "${extents[@]}"), row-major. b is written whole.
  template <typename T, typename Out = T>
  struct Args {
    const T* a;
    Out* b;
    std::int64_t $(list ', ' '%s' "${numbers[@]}");
  };
  static constexpr const char* arrays[] = {"a", "b"};
};

}  // namespace parlab
END

cat >"src/workloads/$name.cpp" <<END
#include "workloads/$name.hpp"

#include "reference/loop_workload.hpp"

namespace parlab::reference {

const RegisterLoop<$contract, float, double> ${name}_registered(
    {
        .name = "$name",
        .summary = "b = a + a$plus",
        .extents = {$shape},
${parameters[0]:+        .parameters = {$(list ', ' '{"%s", 4, 1, 1000}' "${parameters[@]}")\},
}        .arrays = {in("a", {$shape}), out("b", {$shape})},
        .flops = [](const Size& size) { return $((1 + ${#parameters[@]})).0$(for i in "${!extents[@]}"; do printf ' * size[%s]' "$i"; done); },
    },
    []<typename In, typename Out>(const $contract::Args<In, Out>& p) {
      const auto count = $product;
      for (std::int64_t i = 0; i < count; ++i)
        p.b[i] = p.a[i] + p.a[i]$(list '' ' + p.%s' "${parameters[@]}");
    });

}  // namespace parlab::reference
END

variant() { # FILE IDEA HEADER MACHINE PARAMETER BODY
  cat >"$1" <<END
// $2.
#include "$3"
#include "workloads/$name.hpp"

using namespace parlab;

namespace {

$6

}  // namespace

const Register<$contract, float, double> variant(
    {
        .rung = $rung,
        .idea = "$2",$7
    },
    []<typename T>($4, const $contract::Args<T>& p,
                   const Tunables&${5:+ $5}) {
$8
    });
END
}

rung=0
variant "serial/$name/plain.cpp" "The plain loop" host/host.hpp "Host&" "" \
  "template <typename T>
void ${name}_plain(const T* a, T* b, std::int64_t count$taken) {
  for (std::int64_t i = 0; i < count; ++i)
    b[i] = a[i] + a[i]$plus;
}" "" "      ${name}_plain(p.a, p.b, $product$given);"

rung=1
variant "openmp/$name/parallel.cpp" "Each thread takes a stretch of b" host/host.hpp "Host&" "tunables" \
  "template <typename T>
void ${name}_parallel(const T* a, T* b, std::int64_t count$taken, int threads) {
#pragma omp parallel for simd schedule(static) num_threads(threads)
  for (std::int64_t i = 0; i < count; ++i)
    b[i] = a[i] + a[i]$plus;
}" "
        .tunables = {threads()}," "      ${name}_parallel(p.a, p.b, $product$given,
                      static_cast<int>(tunables[\"threads\"]));"

variant "cuda/$name/naive.cu" "A thread computes one element of b" gpu/gpu.hpp "Gpu& gpu" "tunables" \
  "template <typename T>
__global__ void ${name}_naive(const T* a, T* b, std::int64_t count$taken) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) b[i] = a[i] + a[i]$plus;
}" "
        .tunables = {block_size(256)}," "      const auto block = tunables[\"block\"];
      const auto count = $product;
      gpu.launch({.grid = {ceil_div(count, block)}, .block = {block}},
                 ${name}_naive<T>, p.a, p.b, count$given);"

files=("src/workloads/$name".[ch]pp {serial,openmp,cuda}/"$name"/*)
if command -v clang-format >/dev/null; then clang-format -i "${files[@]}"; fi
echo "written: src/workloads/$name.hpp, src/workloads/$name.cpp, serial/$name/plain.cpp,"
echo "         openmp/$name/parallel.cpp, cuda/$name/naive.cu"
echo "next: make, then bin/$name $(list x 65 "${extents[@]}") --emulate; docs/how-to/adding-a-workload.md says what to change"
