// Messages between GPUs by stores into each other's memory. Two teammates on
// one device are enough to test them.
#ifndef PARLAB_EMULATED
#include "places/cuda/peer_messages.hpp"

#include <boost/test/unit_test.hpp>

#include "places/gpu_usable.hpp"

using namespace parlab;

namespace {

struct Team {
  CudaGpu first{0}, second{0};
  PeerMessages messages{{&first, &second}};
  std::vector<cudaStream_t> streams{first.cuda_stream(), second.cuda_stream()};

  // Waits, and throws if something failed.
  void finish() {
    for (auto* stream : streams)
      cuda_check(cudaStreamSynchronize(stream), "waiting for messages");
  }
};

// Memory that a GPU and the host read and write.
template <typename T>
struct Both {
  explicit Both(std::int64_t count) {
    cuda_check(
        cudaMallocManaged(&data, static_cast<std::size_t>(count) * sizeof(T)),
        "allocating");
  }
  ~Both() { cudaFree(data); }
  Both(const Both&) = delete;
  Both& operator=(const Both&) = delete;
  T* data = nullptr;
};

template <typename T>
void check_sums(Dtype dtype) {
  Team team;
  for (const std::int64_t count :
       {1, 33, 5000, PeerMessages::words_of_sum / 2}) {
    Both<T> one(count), two(count);
    for (int round = 1; round <= 5; ++round) {
      for (std::int64_t i = 0; i < count; ++i) {
        one.data[i] = static_cast<T>(i + round);
        two.data[i] = static_cast<T>(1000 * round - i);
      }
      // The second receives its sum in place of its own elements, as the first.
      const std::vector<void*> all{one.data, two.data};
      team.messages.all_reduce(all, all, count, dtype, team.streams);
      team.finish();
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        const auto sum = static_cast<T>(1001 * round);
        wrong += one.data[i] != sum || two.data[i] != sum;
      }
      BOOST_TEST(wrong == 0);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(peer_messages,
                      *boost::unit_test::precondition(testing::gpu_usable))

BOOST_AUTO_TEST_CASE(all_get_the_sum) {
  check_sums<float>(Dtype::f32);
  check_sums<double>(Dtype::f64);
  check_sums<int>(Dtype::i32);
}

// One GPU sends and the other only receives, in some rounds; neither overwrites
// what has not been read.
BOOST_AUTO_TEST_CASE(moves_arrive_one_way_and_both_ways) {
  Team team;
  constexpr std::int64_t most = PeerMessages::Boxes::words;
  for (const std::int64_t count : {std::int64_t{1}, std::int64_t{1027}, most}) {
    constexpr int rounds = 6;
    Both<std::uint32_t> from(rounds * most), there(rounds * most),
        back(rounds * most);
    for (std::int64_t i = 0; i < rounds * most; ++i) {
      from.data[i] = static_cast<std::uint32_t>(7 * i + 1);
      there.data[i] = back.data[i] = 0;
    }
    const auto bytes = static_cast<std::size_t>(count) * sizeof(std::uint32_t);
    for (std::int64_t round = 0; round < rounds; ++round) {
      const auto at = round * most;
      std::vector<Gpus::Move> moves{
          {1, there.data + at, 0, from.data + at, bytes}};
      if (round % 3 == 2)
        moves.push_back({0, back.data + at, 1, from.data + at, bytes});
      BOOST_TEST(team.messages.carries(moves));
      team.messages.exchange(moves, team.streams);
    }
    team.finish();
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < rounds * most; ++i) {
      const bool sent = i % most < count, both = i / most % 3 == 2;
      wrong += there.data[i] != (sent ? from.data[i] : 0) ||
               back.data[i] != (sent && both ? from.data[i] : 0);
    }
    BOOST_TEST(wrong == 0);
  }
}

BOOST_AUTO_TEST_CASE(long_or_odd_messages_go_another_way) {
  Team team;
  constexpr std::int64_t most = PeerMessages::Boxes::words;
  const auto& messages = team.messages;
  constexpr std::int64_t most_added = PeerMessages::words_of_sum;
  BOOST_TEST(messages.carries(most_added, Dtype::f32));
  BOOST_TEST(!messages.carries(most_added + 1, Dtype::f32));
  BOOST_TEST(!messages.carries(most_added, Dtype::f64));
  BOOST_TEST(!messages.carries(1, Dtype::f16));
  Both<std::uint32_t> memory(2 * most);
  auto* const data = reinterpret_cast<unsigned char*>(memory.data);
  const auto move = [&](std::size_t shift, std::size_t bytes) {
    return std::vector<Gpus::Move>{{1, data + shift, 0, data, bytes}};
  };
  BOOST_TEST(messages.carries(move(4, 4 * most)));
  BOOST_TEST(!messages.carries(move(4, 4 * most + 4)));
  BOOST_TEST(!messages.carries(move(2, 4)));
  BOOST_TEST(!messages.carries(move(4, 6)));
}

BOOST_AUTO_TEST_SUITE_END()

#endif
