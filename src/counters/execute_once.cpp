// The command that a profiler or compute-sanitizer runs.

#include <algorithm>
#include <sstream>

#include "counters/counters.hpp"
#include "facts/cause.hpp"
#include "places/executor.hpp"
#include "places/presence.hpp"
#include "verify/problem.hpp"

namespace parlab {
namespace {

UsageError senseless(const std::string& what) {
  return UsageError("execute-once: '" + what +
                    "': --counters starts it, with its own arguments");
}

Size size_from(const std::string& text) {
  Size size;
  std::istringstream in(text);
  for (std::string extent; std::getline(in, extent, 'x');)
    size.push_back(std::stoll(extent));
  return size;
}

Call call_of(const Variant& variant, const Size& size, Dtype dtype) {
  Call call{&variant, size, dtype, {}};
  for (const auto& tunable : variant.tunables)
    call.tunables.emplace(tunable.name, tunable.fallback);
  if (variant.target == Target::team) {
    const auto gpus = std::max<std::size_t>(gpus_present().size(), 1);
    call.tunables.insert_or_assign("gpus", static_cast<std::int64_t>(gpus));
  }
  return call;
}

Call call_from(const std::string& text, const Workload& workload,
               const Size& size, Dtype dtype) {
  std::istringstream in(text);
  std::string name, tunable;
  in >> name;
  const auto variants = Registry::instance().variants(workload.name());
  const auto found =
      std::ranges::find_if(variants, [&](const Variant* variant) {
        return variant->needs_gpu() &&
               variant->backend + "/" + variant->name == name;
      });
  if (found == variants.end()) throw senseless(text);
  Call call = call_of(**found, size, dtype);
  while (in >> tunable) {
    const auto equals = tunable.find('=');
    if (equals == std::string::npos) throw senseless(text);
    call.tunables.insert_or_assign(tunable.substr(0, equals),
                                   std::stoll(tunable.substr(equals + 1)));
  }
  return call;
}

// Executes the calls for one kind of place. Returns the failures with reasons;
// a failure does not stop the other calls.
std::vector<Detail> execute(const std::vector<Call>& calls, Target target,
                            Problem& problem) {
  std::vector<Detail> failed;
  std::unique_ptr<Executor> executor;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].variant->target != target) continue;
    if (!executor) {
      executor = make_executor(target);
      executor->load(problem.inputs(), problem.outputs());
    }
    try {
      executor->run_profiled(calls[i], static_cast<int>(i));
    } catch (const PointError& error) {
      failed.push_back({.cause = Cause::failed_variant,
                        .arguments = {calls[i].variant->full_name()},
                        .further = {error.detail}});
    }
  }
  if (executor) executor->release();
  return failed;
}

}  // namespace

void execute_once(const std::vector<std::string>& arguments) {
  if (arguments.size() < 3) throw senseless("too few arguments");
  const auto* workload = Registry::instance().workload(arguments[0]);
  if (workload == nullptr) throw senseless(arguments[0]);
  const Dtype dtype = from_string<Dtype>(arguments[2]);
  const auto dtypes = workload->dtypes();
  if (std::ranges::find(dtypes, dtype) == dtypes.end())
    throw senseless(arguments[2]);
  const Size size = complete_size(*workload, size_from(arguments[1]));
  std::vector<Call> calls;
  std::vector<const Variant*> variants;
  for (std::size_t i = 3; i < arguments.size(); ++i)
    calls.push_back(call_from(arguments[i], *workload, size, dtype));
  if (calls.empty()) {
    for (const auto* variant :
         Registry::instance().variants(workload->name())) {
      if (variant->backend == "cuda" && variant->has(dtype))
        calls.push_back(call_of(*variant, size, dtype));
    }
  }
  for (const auto& call : calls)
    variants.push_back(call.variant);
  Problem problem(*workload, size, dtype, variants);
  problem.fill(InputKind::uniform);
  std::vector<Detail> failed;
  for (const auto target : {Target::gpu, Target::streams, Target::team}) {
    const auto more = execute(calls, target, problem);
    failed.insert(failed.end(), more.begin(), more.end());
  }
  if (!failed.empty())
    throw PointError(Verdict::launch_failed, Detail{.further = failed});
}

}  // namespace parlab
