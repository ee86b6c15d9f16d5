#include <algorithm>
#include <functional>

#include "page/reference.hpp"
#include "page/sections.hpp"
#include "page/words.hpp"

namespace parlab::page {

Document machine_page(const Measured& measured,
                      const std::filesystem::path& figures,
                      const Tables& tables) {
  const auto findings = judge_claims(measured.records, measured.runs);
  Document page{.title = measured.machine +
                         (measured.has_gpu() ? ": " + gpus_of(measured) : ""),
                .elsewhere = {{"All machines", "../index.html"}}};
  page.blocks = {Paragraph{what_this_is({&measured})},
                 headlines(measured, findings),
                 first_screen(measured, findings)};
  for (const auto& workload : measured.workloads())
    page.add(workload_section(measured, workload, figures, tables));
  page.add(transfers(measured));
  page.add(teams(measured));
  page.add(threads(measured));
  page.add(energy(measured));
  page.add(claims(findings, figures));
  page.add(shared_experiments(measured, figures, tables));
  page.add(rooflines(measured));
  page.add(devices(measured));
  page.add(machine(measured));
  page.add(glossary());
  return page;
}

// Machines with a GPU come first, then those with the most measurements, then
// the one with the fastest memory.
Document index_page(const std::vector<Measured>& machines) {
  std::vector<const Measured*> in_order;
  for (const auto& measured : machines)
    in_order.push_back(&measured);
  std::ranges::stable_sort(in_order, std::greater{}, [](const Measured* one) {
    const auto ceilings = one->device_ceilings();
    return std::tuple(one->has_gpu(), references(*one).size(),
                      ceilings ? memory_bandwidth(*ceilings) : 0);
  });
  Document page{.title =
                    "How close does code come to what the hardware allows?"};
  page.blocks = {Paragraph{what_this_is(in_order)}, first_of_each(in_order),
                 side_by_side(machines)};
  page.add(largest_team(machines));
  page.add(scaling(machines));
  page.add(verdicts(machines));
  page.add(machine_list(machines));
  page.add(glossary());
  return page;
}

}  // namespace parlab::page
