#include "places/cuda/placement.hpp"

#include <cstring>
#include <optional>

#include "core/clock.hpp"
#include "verify/disturbance.hpp"

namespace parlab {
namespace {

// Copies in either direction; the part may be in host memory.
void copy(void* to, std::size_t to_pitch, const void* from,
          std::size_t from_pitch, const ArrayPart& part, const char* where) {
  const auto rows = static_cast<std::size_t>(part.rows);
  const auto status =
      to_pitch == from_pitch
          ? cudaMemcpy(to, from, rows * part.row_bytes(), cudaMemcpyDefault)
          : cudaMemcpy2D(to, to_pitch, from, from_pitch, part.row_bytes(), rows,
                         cudaMemcpyDefault);
  cuda_check(status, "copying " + part.spec.name + where);
}

std::optional<DisturbedElement> disturbed_element(
    const std::vector<PlacedPart>& parts, const std::string& array,
    std::int64_t element) {
  for (const auto& here : parts) {
    if (here.part.spec.name != array) continue;
    const auto place = here.part.place_of(element);
    if (!place) return std::nullopt;
    const auto bytes = bytes_of(here.part.spec.dtype);
    return DisturbedElement{
        .at = here.array.data() + static_cast<std::size_t>(*place) * bytes,
        .bytes = static_cast<unsigned>(bytes)};
  }
  return std::nullopt;
}

// The value of element `place` of the whole array in an execution with these
// signs.
unsigned long long value_of(const Arrays& inputs, const std::string& name,
                            std::int64_t place, const Signs& signs) {
  const auto& spec = inputs.spec(name);
  const auto bytes = bytes_of(spec.dtype);
  const auto change = signs.of(spec).bit(element_at(spec.map, place));
  unsigned long long value = 0;
  std::memcpy(&value,
              inputs.get<const unsigned char>(name) +
                  static_cast<std::size_t>(place) * bytes,
              bytes);
  return dispatch_word(spec.dtype,
                       [&]<typename Word>(Word) -> unsigned long long {
                         return with_sign(static_cast<Word>(value), change,
                                          is_integer(spec.dtype));
                       });
}

}  // namespace

// ---- where it lies

void PlacedPart::upload(const Arrays& whole) const {
  copy(array.data(), part.row_bytes(),
       whole.get<const unsigned char>(part.spec.name) + part.offset_bytes(),
       part.pitch_bytes(), part, " to the device");
  cuda_check(cudaDeviceSynchronize(),
             "copying " + part.spec.name + " to the device");
}

void PlacedPart::download(const Arrays& whole) const {
  copy(whole.get<unsigned char>(part.spec.name) + part.offset_bytes(),
       part.pitch_bytes(), array.data(), part.row_bytes(), part,
       " from the device");
}

DeviceMemory PinnedMemory::take(const ArraySpec& spec) {
  auto spare = spare_.extract(spec.bytes());
  return spare ? std::move(spare.mapped())
               : pinned_memory(bytes_with_guards(spec), spec.name);
}

void PinnedMemory::give(DeviceArray& array) {
  spare_.emplace(array.bytes, std::move(array.memory));
}

Placement::Placement(std::vector<Device*> devices,
                     const std::vector<Share>& shares, const Arrays& inputs,
                     PinnedMemory* pinned)
    : devices_(std::move(devices)),
      inputs_(inputs),
      pinned_(pinned),
      parts_(devices_.size()) {
  each([&](Device& device, int i) {
    std::vector<Array> views;
    for (const auto& part : shares[i].parts) {
      const auto row = part.row_bytes();
      parts_[i].push_back(
          {part,
           pinned_ != nullptr
               ? array_in(pinned_->take(part.spec), part.spec)
               : device_array(part.spec,
                              static_cast<std::size_t>(part.above) * row,
                              static_cast<std::size_t>(part.below) * row)});
      auto& here = parts_[i].back();
      views.push_back({part.spec, here.array.data()});
      if (here.is_output()) {
        poison(here.array, nullptr);  // after its guards, on the same stream
        continue;
      }
      upload_s_ += seconds_of([&] { here.upload(inputs_); });
      here.array.fingerprint = device.fingerprints.of(here.array);
    }
    bound_.emplace_back(std::move(views));
    sizes_.push_back(shares[i].size);
    cuda_check(cudaDeviceSynchronize(), "loading a problem");
  });
}

Placement::~Placement() {
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    cudaSetDevice(devices_[i]->gpu.device());
    if (pinned_ != nullptr) {
      // regardless of its result, no copy runs any more
      cudaDeviceSynchronize();
      for (auto& here : parts_[i])
        pinned_->give(here.array);
    }
    parts_[i].clear();
  }
}

std::vector<UnboundPart> Placement::unbound() const {
  std::vector<UnboundPart> all;
  for (std::size_t i = 0; i < bound_.size(); ++i)
    all.push_back({&bound_[i], sizes_[i].data()});
  return all;
}

// ---- before and after an execution

void Placement::poison_outputs() const {
  each_part([](Device& device, const PlacedPart& here, int) {
    if (here.is_output()) poison(here.array, device.gpu.cuda_stream());
  });
}

void Placement::poison_rooms() const {
  each_part([](Device& device, const PlacedPart& here, int) {
    poison_room(here.array, device.gpu.cuda_stream());
  });
}

void Placement::queue_fingerprints() const {
  each([&](Device& device, int i) {
    device.fingerprints.queue_clear();
    for (const auto& here : parts_[i]) {
      if (here.is_output()) device.fingerprints.queue(here.array);
    }
  });
}

std::vector<std::uint64_t> Placement::read_fingerprints() const {
  std::vector<std::uint64_t> all;
  each([&](Device& device, int) { all.push_back(device.fingerprints.read()); });
  return all;
}

// Takes values of elements from the host, because they may lie on another GPU.
void Placement::prepare_disturbances(const BatchPlan& plan, int count) const {
  each([&](Device& device, int i) {
    std::vector<std::vector<DisturbedElement>> executions(count);
    for (int e = 0; e < count; ++e) {
      const auto& disturbance = *(plan.executions.end() - count + e);
      for (const auto& changed : disturbance.inputs) {
        auto element = disturbed_element(parts_[i], changed.array, changed.to);
        if (!element) continue;
        element->is_changed = true;
        element->value =
            value_of(inputs_, changed.array, changed.from, disturbance.signs);
        executions[e].push_back(*element);
      }
      for (const auto& spoiled : disturbance.outputs) {
        if (auto element =
                disturbed_element(parts_[i], spoiled.array, spoiled.element)) {
          executions[e].push_back(*element);
        }
      }
    }
    device.disturber.prepare(std::move(executions));
  });
}

void Placement::write_anew(const Variant& variant, const Signs& before,
                           const Signs& now) const {
  if (before == now) return;
  each_part([&](Device& device, const PlacedPart& here, int) {
    const auto& part = here.part;
    if (here.is_output() || part.spec.is_constant() ||
        !variant.reads(part.spec))
      return;
    change_signs(here.array,
                 {.row = part.row,
                  .col = part.col,
                  .cols = part.cols,
                  .pitch = part.pitch},
                 before, now, device.gpu.cuda_stream());
    device.fingerprints.queue_reading(here.array);
  });
}

void Placement::disturb(int before, int now) const {
  each([=](Device& device, int) { device.disturber.queue(before, now); });
}

// ---- what is left

Detail Placement::on(int i, Detail damage) const {
  if (damage && count() > 1)
    damage.further.push_back(because(Cause::on_gpu, i));
  return damage;
}

Detail Placement::damage_of_outputs() const {
  Detail found;
  each_part([&](Device&, const PlacedPart& here, int i) {
    if (!here.is_output()) return;
    if (auto damage = here.array.damage()) found = on(i, std::move(damage));
  });
  return found;
}

Detail Placement::damage_of_inputs() const {
  Detail found;
  each_part([&](Device& device, const PlacedPart& here, int i) {
    if (here.is_output()) return;
    auto damage = here.array.damage();
    if (!damage && device.fingerprints.of(here.array) != here.array.fingerprint)
      damage = because(Cause::changed_input, here.part.spec.name);
    if (damage) found = on(i, std::move(damage));
  });
  return found;
}

void Placement::renew_guards() const {
  each([&](Device&, int i) {
    for (const auto& here : parts_[i])
      here.array.renew_guards();
    cuda_check(cudaDeviceSynchronize(), "renewing guard words");
  });
}

void Placement::gather(const Arrays& outputs, Detail& damage) const {
  each_part([&](Device&, const PlacedPart& here, int i) {
    const auto& part = here.part;
    if (!here.is_output()) return;
    if (!part.whole || i == 0) return here.download(outputs);
    std::vector<unsigned char> own(here.array.bytes);
    copy(own.data(), part.row_bytes(), here.array.data(), part.row_bytes(),
         part, " from the device");
    const auto* first = outputs.get<const unsigned char>(part.spec.name);
    if (std::memcmp(own.data(), first, own.size()) != 0)
      damage = because(Cause::copies_differ, part.spec.name, i);
  });
}

}  // namespace parlab
