// Claims of the report on the dense matrix-vector product: y = A x in float.
#include <algorithm>
#include <cmath>
#include <map>

#include "claims/rule.hpp"
#include "record/published.hpp"

namespace parlab::cslab_dmv {
namespace {

constexpr const char* report = "cslab-dmv";
constexpr std::int64_t k = 1024;

Selection dmv(const Evidence& evidence) {
  return evidence.timed("dmv", Dtype::f32);
}
Size square(std::int64_t n) {
  return {n, n};
}

// ---- C1 ---------------------------------------------------------------------

Judgement openmp_scaling(const Evidence& e) {
  const auto rows = dmv(e).variant("openmp/rows");
  const auto threads = rows.values("threads");
  if (rows.empty()) return needs(e, report, false);
  if (threads.back() <= 12) {
    return needs_else(
        "make cslab-dmv on a machine with more than 12 cores: records end at " +
        std::to_string(threads.back()) + " threads");
  }
  Tally tally;
  for (const auto& size : rows.sizes()) {
    const auto* best = rows.size(size).best();
    const auto* most = rows.size(size).with("threads", threads.back()).best();
    if (most == nullptr) continue;
    const auto fastest = best->tunables["threads"];
    const bool falls = best != most && faster(gain(*best, *most));
    const bool as_claimed =
        size[0] <= 2 * k ? fastest >= 6 && fastest <= 12 : fastest <= 6;
    tally.add(falls && as_claimed, static_cast<double>(fastest),
              std::to_string(fastest) + " threads at " + place(size));
  }
  return tally.judgement(
      "of up to " + std::to_string(threads.back()) + " the fastest is",
      needs(e, report, false));
}

// ---- C2, C3: naive ----------------------------------------------------------

Judgement naive_blocks(const Evidence& e) {
  const auto naive = dmv(e).variant("cuda/naive");
  const auto blocks = naive.values("block");
  if (blocks.size() < 3 || blocks.front() != 16) return needs(e, report);
  Tally smallest, falls, like_serial;
  for (const auto& size : naive.sizes()) {
    const auto here = naive.size(size);
    const auto* at_16 = here.with("block", 16).best();
    const auto* largest = here.with("block", blocks.back()).best();
    const auto* at_496 = here.with("block", 496).best();
    const auto* serial = dmv(e).variant("serial/plain").size(size).best();
    if (at_16 == nullptr || largest == nullptr) continue;
    const auto best = gain(*here.best(), *at_16);
    smallest.add(no_faster(best, margin_of_no_difference), best.value,
                 "block " + std::to_string(here.best()->tunables["block"]) +
                     " by " + in_words(best) + " at " + place(size));
    const auto fall = gain(*at_16, *largest);
    falls.add(faster(fall), fall, place(size));
    if (at_496 != nullptr && serial != nullptr) {
      const auto left = gain(*at_496, *serial);
      like_serial.add(left.value < 2, left, place(size));
    }
  }
  return together(
      {smallest.judgement("fastest against block 16:", needs(e, report)),
       falls.judgement("16 over " + std::to_string(blocks.back()) + ":",
                       needs(e, report)),
       like_serial.judgement("496 over serial:", needs(e, report))});
}

// The exponent p of time ~ n^p between two sizes.
std::optional<double> growth(const Selection& records, std::int64_t from,
                             std::int64_t to) {
  const auto *a = records.size(square(from)).best(),
             *b = records.size(square(to)).best();
  if (a == nullptr || b == nullptr) return std::nullopt;
  return std::log(b->summary().median / a->summary().median) /
         std::log(static_cast<double>(to) / static_cast<double>(from));
}

Judgement naive_growth(const Evidence& e) {
  const auto naive = dmv(e).variant("cuda/naive").with("block", 16);
  const auto weak = growth(naive, k, 2 * k),
             strong = growth(naive, 8 * k, 14 * k);
  if (naive.empty()) return needs(e, report);
  if (!weak || !strong) return needs_else("SCALE=full make cslab-dmv");
  const auto curve =
      judged(*weak < *strong, "time grows as n^" + number(*weak) +
                                  " from 1K to 2K, as n^" + number(*strong) +
                                  " from 8K to 14K");
  const auto counted = dmv(e).variant("cuda/naive").counted();
  if (counted.empty()) return together({curve, needs_counters(e, report)});
  const auto* at = counted.size(counted.sizes().back()).best();
  const auto memory = counter(*at, "memory_percent"),
             compute = counter(*at, "compute_percent");
  if (!memory || !compute) return together({curve, needs_counters(e, report)});
  return together(
      {curve,
       judged(*memory > *compute,
              "at " + setting(*at) + " memory is " + in_percent(*memory / 100) +
                  " busy, arithmetic " + in_percent(*compute / 100))});
}

// ---- C4 .. C7 ---------------------------------------------------------------

Judgement coalesced_wins(const Evidence& e) {
  const auto coalesced = dmv(e).variant("cuda/coalesced"),
             naive = dmv(e).variant("cuda/naive");
  Tally worst;
  for (const auto& size : coalesced.sizes()) {
    const auto *a = coalesced.size(size).worst(), *b = naive.size(size).best();
    if (b == nullptr) continue;
    const auto ratio = gain(*a, *b);
    worst.add(no_slower(ratio, 1), ratio, place(size));
  }
  const auto against = [&](const char* what, const Selection& others) {
    return at_least(best_over_best(coalesced, others), 2)
        .judgement(what, needs(e, report));
  };
  return together({against("over OpenMP:", dmv(e).backend("openmp")),
                   against("over serial:", dmv(e).backend("serial")),
                   against("over naive:", naive),
                   worst.judgement("its worst block over naive's best:",
                                   needs(e, report))});
}

bool favoured(std::int64_t block) {
  return block > 100 && block % 32 == 0;
}

// Mean of the logarithm of the median times.
double mean_log(const Selection& records) {
  double sum = 0, count = 0;
  for (const auto* record : records)
    sum += std::log(record->summary().median), ++count;
  return sum / count;
}

Judgement coalesced_blocks(const Evidence& e) {
  const auto coalesced = dmv(e).variant("cuda/coalesced");
  if (coalesced.values("block").size() < 3) return needs(e, report);
  Tally best, regular;
  for (const auto& size : coalesced.sizes()) {
    const auto here = coalesced.size(size);
    const auto block_of = [](const Record& r) { return r.tunables["block"]; };
    const auto in =
        here.where([&](const Record& r) { return favoured(block_of(r)); });
    const auto out = here.where([&](const Record& r) {
      return block_of(r) > 100 && block_of(r) % 32 != 0;
    });
    if (in.empty() || out.empty()) continue;
    const auto behind = gain(*here.best(), *in.best());
    best.add(no_faster(behind, margin_of_no_difference), behind.value,
             "block " + std::to_string(block_of(*here.best())) + " by " +
                 in_words(behind) + " at " + place(size));
    const double ratio = std::exp(mean_log(out) - mean_log(in));
    regular.add(ratio > 1.02, ratio, times(ratio) + " at " + place(size));
  }
  return together(
      {best.judgement("fastest against the best of the favoured:",
                      needs(e, report)),
       regular.judgement(
           "multiples of 32 over other blocks above 100, in the mean:",
           needs(e, report))});
}

Judgement shared_memory(const Evidence& e) {
  Tally tally;
  for (const auto& [size, ratio] : best_over_best(
           dmv(e).variant("cuda/shmem"), dmv(e).variant("cuda/coalesced"))) {
    tally.add(no_faster(ratio, margin_of_no_difference), ratio, place(size));
  }
  return tally.judgement("speed of shmem over coalesced:", needs(e, report));
}

Judgement cublas_alike(const Evidence& e) {
  const auto ours = dmv(e).where([](const Record& r) {
    return r.backend == "cuda" &&
           (r.variant == "coalesced" || r.variant == "shmem");
  });
  Tally tally;
  for (const auto& [size, ratio] :
       best_over_best(dmv(e).variant("blas/cublas"), ours)) {
    tally.add(as_fast(ratio, 0.1), ratio, place(size));
  }
  return tally.judgement("speed of cuBLAS over the better of the two:",
                         needs(e, report));
}

// ---- C8 .. C11 --------------------------------------------------------------

Judgement transactions(const Evidence& e) {
  const auto counted = dmv(e).variant("cuda/shmem").counted();
  Tally tally;
  for (const auto* record : counted) {
    const auto requests = counter(*record, "global_load_requests");
    if (!requests) continue;
    const double loads =
        static_cast<double>(record->size[0] * record->size[1]) / 32;
    const double each = *requests / loads;
    tally.add(each < 1.01, each,
              number(each) + " requests per load of a warp at " +
                  place(record->size));
  }
  return together({tally.judgement("here, of 128 aligned bytes:",
                                   needs_counters(e, report)),
                   needs_else("GPUs of compute capability 1.0, 1.2 and 2.0")});
}

Judgement active_warps(const Evidence& e) {
  const auto kernels = dmv(e).where([](const Record& r) {
    return r.backend == "cuda" &&
           (r.variant == "naive" || r.variant == "coalesced" ||
            r.variant == "shmem");
  });
  Tally tally;
  for (const auto block : kernels.values("block")) {
    const auto same = kernels.with("block", block);
    const auto* first = *same.begin();
    const auto differs = [&](const Record* r) {
      return r->launch.active_warps != first->launch.active_warps;
    };
    const int warps = first->launch.active_warps;
    tally.add(
        std::none_of(same.begin(), same.end(), differs), warps,
        std::to_string(warps) + " warps at block " + std::to_string(block));
  }
  if (tally.empty()) return needs(e, report);
  int least = 1 << 20, most = 0;
  std::int64_t shared = 0;
  for (const auto* record : kernels) {
    least = std::min(least, record->launch.registers);
    most = std::max(most, record->launch.registers);
    shared = std::max(shared, record->launch.shared_bytes);
  }
  return tally.judgement(std::to_string(least) + " to " + std::to_string(most) +
                             " registers, 0 to " + std::to_string(shared) +
                             " B shared:",
                         needs(e, report));
}

Judgement strips_beat_rows(const Evidence& e) {
  const auto one = dmv(e).variant("cuda/naive_1d"),
             two = dmv(e).variant("cuda/naive");
  Tally tally;
  for (const auto* rows : one) {
    const auto* strips = two.size(rows->size).with(rows->tunables).best();
    if (strips == nullptr) continue;
    const auto ratio = gain(*strips, *rows);
    tally.add(faster(ratio), ratio, place(rows->size));
  }
  return tally.judgement("naive over naive_1d:", needs(e, report));
}

Judgement dividing_blocks(const Evidence& e) {
  const auto coalesced = dmv(e).variant("cuda/coalesced");
  Tally tally;
  std::int64_t most_threads = 0;
  for (const auto& size : coalesced.sizes()) {
    const auto here = coalesced.size(size);
    int count = 0, slow = 0;
    const Record* below = nullptr;  // the largest block that divides
    std::vector<const Record*> between;
    for (const auto block : here.values("block")) {
      const auto* record = here.with("block", block).best();
      if (block % 32 != 0 || record->launch.occupancy <= 0) continue;
      most_threads = std::llround(32 * record->launch.active_warps /
                                  record->launch.occupancy);
      if (most_threads % block != 0) {
        between.push_back(record);
        continue;
      }
      for (const auto* other : between) {
        if (below == nullptr) break;
        ++count;
        slow += faster(gain(*below, *other)) && faster(gain(*record, *other));
      }
      between.clear();
      below = record;
    }
    if (count == 0) continue;
    tally.add(2 * slow > count, slow,
              std::to_string(slow) + " of " + std::to_string(count) + " at " +
                  place(size));
  }
  return tally.judgement("of the blocks that do not divide " +
                             std::to_string(most_threads) +
                             ", slower than both neighbours that do:",
                         needs(e, report));
}

// ---- observations of the digest --------------------------------------------

Judgement padding(const Evidence& e) {
  const auto padded = [](double n) {
    return std::pow(std::ceil(n / 496) * 496 / n, 2);
  };
  const auto published = by_construction(
      padded(k) > 2 && padded(16 * k) > 1.05,
      "computed: padded to blocks of 496, 1K is " + times(padded(k)) +
          " the work and 16K " + times(padded(16 * k)));
  const auto at_1k = dmv(e).variant("cuda/coalesced").size(square(k));
  const auto *at_496 = at_1k.with("block", 496).best(),
             *at_512 = at_1k.with("block", 512).best();
  if (at_496 == nullptr || at_512 == nullptr) return published;
  const auto ratio = gain(*at_496, *at_512);
  return together(
      {published, judged(no_slower(ratio, 0.5),
                         "here, without padding, block 496 is " +
                             in_words(ratio) + " as fast as 512 at 1K")});
}

Judgement bandwidth_bends(const Evidence& e) {
  const auto openmp = dmv(e).backend("openmp");
  const auto sizes = openmp.sizes();
  if (sizes.size() < 2) return needs(e, report, false);
  const auto rate = [](const Record& r) {
    return r.bytes / r.summary().median;
  };
  const Record *fastest = nullptr, *largest = openmp.size(sizes.back()).best();
  for (const auto& size : sizes) {
    const auto* best = openmp.size(size).best();
    if (size[0] <= 2 * k &&
        (fastest == nullptr || rate(*best) > rate(*fastest)))
      fastest = best;
  }
  if (fastest == nullptr) return needs(e, report, false);
  const auto text = [&](const Record& r) {
    return Quantity{rate(r), Unit::byte_per_second} + Text(" at ") +
           place(r.size);
  };
  // On a shared host the limit may move, and then the record has none.
  Judgement near_roof;
  near_roof.missing = "a steady limit of the memory at " + place(largest->size);
  if (const double roof_s = largest->roof_s; roof_s > 0) {
    const double share = roof_s / largest->summary().median;
    near_roof =
        judged(share > 0.5, in_percent(share) + " of the memory's roof there");
  }
  return together({judged(rate(*fastest) > 1.5 * rate(*largest),
                          text(*fastest) + ", " + text(*largest)),
                   near_roof});
}

Judgement cublas_behind(const Evidence& e) {
  const auto *cublas =
                 dmv(e).variant("blas/cublas").size(square(16 * k)).best(),
             *ours =
                 dmv(e).variant("cuda/coalesced").size(square(16 * k)).best();
  if (cublas == nullptr || ours == nullptr) return needs(e, report);
  const auto ratio = gain(*ours, *cublas);
  std::map<std::string, double> theirs;
  for (const auto& row : published("cslab-dmv-best")) {
    if (row.text("n_label") == "16K")
      theirs[row.text("variant")] = row.number("time_s");
  }
  return judged(faster(ratio),
                "coalesced over cuBLAS: " + in_words(ratio) +
                    " at 16384 (published " +
                    times(theirs.at("cublas") / theirs.at("coalesced")) + ")");
}

Judgement serial_table(const Evidence&) {
  Tally tally;
  for (const auto& row : published("cslab-dmv-serial")) {
    const double n = 1024.0 * std::stoi(row.text("n_label"));  // "16K"
    const double off =
        row.number("gflops") / (2e-7 * n * n / row.number("time_s")) - 1;
    tally.add(std::abs(off) > 0.02, off,
              in_percent(off) + " at " + row.text("n_label"));
  }
  return by_construction(
      2 * tally.held() > tally.count(),
      tally.judgement("published Gflop/s against those of the times:", {})
          .numbers);
}

const Claims announced(
    3,
    {
        {"C1", report,
         "OpenMP: up to 2K it is fastest at about 12 threads, above 2K at 6 at "
         "most.",
         "the best number of threads of openmp/rows is 6 to 12 up to 2K and at "
         "most 6 above, and "
         "the "
         "most threads are slower",
         "cslab-dmv-2-openmp-gflops", openmp_scaling},
        {"C2", report,
         "Naive is fastest with blocks of 16, falls as blocks grow, and is "
         "near serial at 496.",
         "no block is faster than 16; the largest block is slower than 16; at "
         "496 less than 2 times "
         "over "
         "serial",
         "cslab-dmv-3-naive-blocks", naive_blocks},
        {"C3", report,
         "Naive: time grows weakly with n at 1K and 2K, strongly from 8K to "
         "14K: memory.",
         "at block 16 the exponent of n is less from 1K to 2K than from 8K to "
         "14K; at the largest "
         "size memory is busier than arithmetic",
         "cslab-dmv-3-naive-blocks", naive_growth},
        {"C4", report,
         "Coalesced is much faster than OpenMP, serial and naive; its worst is "
         "like naive's best.",
         "the best of coalesced at least twice as fast as the best of each; "
         "its worst block "
         "takes at most twice "
         "the "
         "time of naive's best",
         "cslab-dmv-7-all-gflops", coalesced_wins},
        {"C5", report,
         "Coalesced is best with blocks above 100 that are multiples of 32.",
         "no other block is faster by more than 2 %; above 100, multiples of "
         "32 are at least 1.02 times the others in the mean",
         "cslab-dmv-4-coalesced-blocks", coalesced_blocks},
        {"C6", report,
         "x in shared memory gives no improvement: the caches hold it already.",
         "the best of shmem is not faster than the best of coalesced by more "
         "than 2 %",
         "cslab-dmv-7-all-gflops", shared_memory},
        {"C7", report, "cuBLAS is about as fast as coalesced and shmem.",
         "cuBLAS within 10 % of the better of the two",
         "cslab-dmv-7-all-gflops", cublas_alike},
        {"C8", report,
         "Compute capability 1.0 needs a transaction for 16 threads at best, "
         "1.2 and 2.0 one per "
         "warp.",
         "global load requests of shmem, counted, at most 1.01 for each 32 "
         "elements of A",
         "", transactions},
        {"C9", report,
         "Active warps depend on the block size alone, not on registers or "
         "shared memory.",
         "naive, coalesced and shmem have the same active warps at every block "
         "size",
         "cslab-dmv-8-active-warps", active_warps},
        {"C10", report,
         "A 2D grid with atomic partial sums beats one thread per row.",
         "naive faster than naive_1d with the same block",
         "cslab-dmv-7-all-gflops", strips_beat_rows},
        {"C11", report,
         "Performance is lower when the block size does not divide the threads "
         "of a "
         "multiprocessor.",
         "coalesced, multiples of 32: most blocks that do not divide are "
         "slower than the next "
         "smaller and the next larger one that do",
         "cslab-dmv-4-coalesced-blocks", dividing_blocks},
        {"C-obs2", report,
         "Padding n to whole blocks can make the ups and downs of C5.",
         "computed from the report's sizes; here, without padding, block 496 "
         "takes less than 1.5 times "
         "the time of 512 at 1K",
         "cslab-dmv-4-coalesced-blocks", padding},
        {"C-obs3", report,
         "Memory bandwidth explains the bend of C1: small matrices sit in the "
         "cache.",
         "the best OpenMP rate up to 2K is at least 1.5 times that at the "
         "largest "
         "size, which is more "
         "than "
         "half of the memory's roof",
         "cslab-dmv-2-openmp-gflops", bandwidth_bends},
        {"C-obs4", report, "At 16K cuBLAS takes longer than coalesced.",
         "the best of coalesced faster than blas/cublas at 16K",
         "cslab-dmv-7-all-gflops", cublas_behind},
        {"C-obs10", report,
         "The report's table of the serial version contradicts itself.",
         "computed, 100 executions and K = 1024: Gflop/s and time are more "
         "than 2 % apart in most "
         "rows",
         "", serial_table},
    });

}  // namespace
}  // namespace parlab::cslab_dmv
