#include "places/cuda/cuda_gpus.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "core/at_end.hpp"

namespace parlab {
namespace {

// for 128 transfers in one execution
constexpr std::size_t events_at_most = 256;
// upper bound of the kernels and events that NCCL queues
constexpr int entries_of_collective = 10;

}  // namespace

void enable_peer_access(const std::vector<int>& devices) {
  for (const int from : devices) {
    cuda_check(cudaSetDevice(from), "choosing device " + std::to_string(from));
    for (const int to : devices) {
      int can = 0;
      if (from == to ||
          cudaDeviceCanAccessPeer(&can, from, to) != cudaSuccess || can == 0)
        continue;
      cudaDeviceEnablePeerAccess(to, 0);
      cudaGetLastError();  // peer access may already be enabled
    }
  }
}

CudaGpus::CudaGpus(std::vector<CudaGpu*> gpus) {
  for (auto* gpu : gpus) {
    gpu->select();
    members_.push_back(std::make_unique<Member>(*gpu));
  }
}

CudaGpu& CudaGpus::operator[](int i) {
  CudaGpu& gpu = *members_.at(static_cast<std::size_t>(i))->gpu;
  gpu.select();
  return gpu;
}

std::vector<cudaStream_t> CudaGpus::streams() const {
  std::vector<cudaStream_t> all;
  for (const auto& member : members_)
    all.push_back(stream_of(*member));
  return all;
}

std::vector<int> CudaGpus::devices() const {
  std::vector<int> all;
  for (const auto& member : members_)
    all.push_back(member->gpu->device());
  return all;
}

Nccl& CudaGpus::nccl() {
  if (!nccl_) nccl_ = std::make_unique<Nccl>(devices());
  return *nccl_;
}

PeerMessages* CudaGpus::messages() {
  if (!messages_ && PeerMessages::possible(devices())) {
    std::vector<CudaGpu*> gpus;
    for (const auto& member : members_)
      gpus.push_back(member->gpu);
    messages_ = std::make_unique<PeerMessages>(gpus);
  }
  return messages_.get();
}

void CudaGpus::abandon() {
  if (messages_) messages_->abandon();
  if (nccl_) nccl_->abort();
  nccl_.reset();
}

// ---- what is queued

void CudaGpus::wait_for(Member& member, cudaStream_t stream,
                        const CudaEvent& event) {
  member.gpu->select();
  cuda_check(cudaStreamWaitEvent(stream, event.handle),
             "waiting for another GPU");
  ++member.queued;
}

void CudaGpus::record(Member& member, cudaStream_t stream,
                      const CudaEvent& event) {
  member.gpu->select();
  cuda_check(cudaEventRecord(event.handle, stream), "recording an event");
  ++member.queued;
}

int CudaGpus::take_queued() {
  int most = 0;
  for (auto& member : members_)
    most = std::max(most, std::exchange(member->queued, 0));
  return most;
}

// ---- watching

void CudaGpus::watch(Member& member) {
  if (member.noted == member.events.size()) return;
  record(member, stream_of(member), member.events[member.noted++]);
}

template <typename F>
void CudaGpus::watched(F transfer) {
  const auto note = [&] {
    if (!watching_) return;
    for (auto& member : members_)
      watch(*member);
  };
  note();
  transfer();
  note();
}

void CudaGpus::begin_watch() {
  for (auto& member : members_) {
    member->gpu->select();
    while (member->events.size() < events_at_most)
      member->events.emplace_back();
    member->noted = 0;
  }
  watching_ = true;
}

double CudaGpus::end_watch() {
  watching_ = false;
  double most = 0;
  for (auto& member : members_) {
    member->gpu->select();
    double seconds = 0;
    for (std::size_t i = 0; i + 1 < member->noted; i += 2) {
      seconds += seconds_between(member->events[i], member->events[i + 1]);
    }
    most = std::max(most, seconds);
  }
  return most;
}

// ---- transfers

void CudaGpus::sum_over_all(const std::vector<void*>& from,
                            const std::vector<void*>& to, std::int64_t elements,
                            Dtype dtype) {
  if (elements == 0) return;
  if (count() == 1) {
    if (from[0] != to[0]) {
      members_[0]->gpu->copy(
          to[0], from[0], static_cast<std::size_t>(elements) * bytes_of(dtype));
    }
    return;
  }
  auto* const short_ones = messages();
  if (short_ones != nullptr && short_ones->carries(elements, dtype)) {
    watched(
        [&] { short_ones->all_reduce(from, to, elements, dtype, streams()); });
    for (auto& member : members_)
      ++member->queued;
    return;
  }
  nccl();
  watched([&] { nccl().all_reduce(from, to, elements, dtype, streams()); });
  for (auto& member : members_)
    member->queued += entries_of_collective;
}

void CudaGpus::send_to_all(int root, const std::vector<void*>& data,
                           std::int64_t elements, Dtype dtype) {
  if (elements == 0 || count() == 1) return;
  nccl();
  watched([&] { nccl().broadcast(root, data, elements, dtype, streams()); });
  for (auto& member : members_)
    member->queued += entries_of_collective;
}

// Each copy is queued at its target, once its source is ready; then the sources
// wait for the copies that read them. All sources are marked ready before any
// copy begins, so that no copy waits for another.
void CudaGpus::exchange(const std::vector<Move>& moves) {
  if (moves.empty()) return;
  auto* const short_ones = count() > 1 ? messages() : nullptr;
  if (short_ones != nullptr && short_ones->carries(moves)) {
    watched([&] { short_ones->exchange(moves, streams()); });
    for (auto& member : members_)
      ++member->queued;
    return;
  }
  watched([&] {
    const auto member = [&](int i) -> Member& {
      return *members_.at(static_cast<std::size_t>(i));
    };
    std::set<int> sources, targets;
    std::set<std::pair<int, int>> ways;
    for (const auto& move : moves) {
      if (move.bytes == 0) continue;
      sources.insert(move.source);
      targets.insert(move.target);
      ways.emplace(move.source, move.target);
    }
    for (const int i : sources)
      record(member(i), stream_of(member(i)), member(i).ready);
    for (const auto& [source, target] : ways) {
      wait_for(member(target), stream_of(member(target)), member(source).ready);
    }
    for (const auto& move : moves) {
      if (move.bytes == 0) continue;
      auto& target = member(move.target);
      target.gpu->select();
      cuda_check(cudaMemcpyPeerAsync(move.to, target.gpu->device(), move.from,
                                     member(move.source).gpu->device(),
                                     move.bytes, stream_of(target)),
                 "copying from GPU to GPU");
      ++target.queued;
    }
    for (const int i : targets)
      record(member(i), stream_of(member(i)), member(i).moved);
    for (const auto& [source, target] : ways) {
      wait_for(member(source), stream_of(member(source)), member(target).moved);
    }
  });
}

void CudaGpus::beside(const std::function<void()>& transfers,
                      const std::function<void()>& work) {
  for (auto& member : members_) {
    record(*member, member->gpu->cuda_stream(), member->ready);
    wait_for(*member, member->beside.handle, member->ready);
  }
  {
    const AtEnd leave([&] { beside_ = false; });
    beside_ = true;
    transfers();
  }
  work();
  for (auto& member : members_) {
    record(*member, member->beside.handle, member->moved);
    wait_for(*member, member->gpu->cuda_stream(), member->moved);
  }
}

}  // namespace parlab
