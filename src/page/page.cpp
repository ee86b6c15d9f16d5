#include "page/page.hpp"

#include "page/sections.hpp"

namespace parlab::page {

Document machine_page(const Measured& measured,
                      const std::filesystem::path& figures,
                      const Tables& tables) {
  const auto findings = judge_claims(measured.records, measured.runs);
  Document page{.title = measured.machine,
                .elsewhere = {{"All machines", "../index.html"}}};
  page.blocks = {
      Paragraph{"What this machine did, what the source reports claimed, and "
                "which claims hold. Every number was measured after its result "
                "was proved right."},
      summary(measured, findings), glance(measured)};
  const auto add = [&](std::optional<Section> section) {
    if (section) page.blocks.push_back(std::move(*section));
  };
  for (const auto& workload : measured.workloads())
    add(workload_section(measured, workload, figures, tables));
  add(shared_experiments(measured, figures, tables));
  add(rooflines(measured));
  add(transfers(measured));
  add(energy(measured));
  add(devices(measured));
  add(claims(findings, figures));
  add(machine(measured));
  return page;
}

Document index_page(const std::vector<Measured>& machines) {
  Document page{.title = "Machines"};
  page.blocks = {machine_list(machines), side_by_side(machines)};
  if (auto section = scaling(machines)) page.blocks.push_back(*section);
  page.blocks.push_back(verdicts(machines));
  return page;
}

}  // namespace parlab::page
