#include "record/record.hpp"

#include <algorithm>

namespace parlab {

bool Record::on_gpu() const {
  return backend == "cuda" || launch.launches > 0 || to_device_s || to_host_s;
}

bool Record::for_gpu() const {
  return backend == "cuda" || source.ends_with(".cu") || to_device_s ||
         to_host_s;
}

// Each run counts as a batch of its own.
Summary Energy::summary() const {
  return summarize({runs_j, std::vector<int>(runs_j.size(), 1)});
}

Samples Record::samples() const {
  const auto usual =
      on_gpu() ? usual_between_runs_of_gpu : usual_between_runs_of_host;
  const auto& runs = between_runs.share > 0 ? between_runs : usual;
  return {seconds, batches, runs.at(runs.seconds > 0 ? median(seconds) : 0)};
}

std::string Record::point() const {
  std::string text = workload + " " + size_text(workload, size) + " ";
  text += to_string(dtype);
  text += " ";
  text += to_string(cache);
  if (inputs != InputKind::uniform)
    text += " " + std::string(to_string(inputs));
  return text;
}

std::string Record::identity() const {
  std::string text = point() + " " + full_name();
  if (!tunables.empty()) text += " " + to_string(tunables);
  if (emulated) text += " emulated";
  return text;
}

std::string Record::key() const {
  return identity() + " " + source_hash;
}

const Variant* variant_of(const Record& record) {
  const auto& variants = Registry::instance().variants(record.workload);
  const auto found =
      std::ranges::find(variants, record.full_name(), &Variant::full_name);
  return found == variants.end() ? nullptr : *found;
}

bool was_endless(const Record& record) {
  return record.verdict == Verdict::timed_out &&
         record.detail.cause == Cause::ended;
}

Detail detail_of_text(std::string text) {
  constexpr std::string_view ended = "ended: ";
  if (text.empty()) return {};
  if (!text.starts_with(ended)) return other(std::move(text));
  return {.cause = Cause::ended, .further = {other(text.substr(ended.size()))}};
}

bool failed(const Record& record) {
  return record.verdict == Verdict::wrong_result ||
         record.verdict == Verdict::implausible ||
         record.verdict == Verdict::launch_failed ||
         record.verdict == Verdict::unverified || was_endless(record);
}

std::string error_name(InputKind kind, ErrorUnit unit) {
  return std::string(to_string(kind)) + "_of_" + std::string(to_string(unit));
}

bool may_be_alike(const std::string& gpus, const std::string& others) {
  return gpus.empty() || others.empty() || gpus == others;
}

bool same_machine(const Record& a, const Record& b) {
  if (a.machine.empty() || b.machine.empty()) return true;
  if (a.machine != b.machine || a.host_id != b.host_id) return false;
  return a.on_gpu() || b.on_gpu() ||
         may_be_alike(a.gpus_of_host, b.gpus_of_host);
}

bool same_point(const Record& a, const Record& b) {
  return a.workload == b.workload && a.size == b.size && a.dtype == b.dtype &&
         a.cache == b.cache && a.inputs == b.inputs;
}

}  // namespace parlab
