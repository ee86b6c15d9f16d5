#include "page/page.hpp"

#include "page/frame.hpp"
#include "page/html.hpp"
#include "page/sections.hpp"

namespace parlab::page {
std::string machine_page(const Measured& measured,
                         const std::filesystem::path& figures) {
  Html html;
  begin_page(html, measured.machine + ": parlab");
  html.element("h1", measured.machine);
  html.element("p",
               "What this machine did, what the source reports claimed, and "
               "which claims hold. Every "
               "number was measured after its result was proved right.");
  html.open("nav");
  link(html, "#summary", "In short");
  link(html, "#glance", "Each backend");
  for (const auto& workload : measured.workloads()) {
    link(html, "#" + anchor("workload-" + workload), workload);
  }
  if (has_shared_experiments(measured))
    link(html, "#across", "Across workloads");
  link(html, "#rooflines", "Rooflines");
  link(html, "#transfers", "Transfers");
  if (asked_for_energy(measured)) link(html, "#energy", "Energy");
  if (!measured.control.empty()) link(html, "#devices", "Devices");
  link(html, "#claims", "Claims");
  link(html, "#machine", "The machine");
  link(html, "../index.html", "All machines");
  html.close().line_break();
  const auto findings = judge_claims(measured.records, measured.runs);
  write_summary(html, measured, findings);
  write_glance(html, measured);
  for (const auto& workload : measured.workloads()) {
    write_workload(html, measured, workload, figures);
  }
  write_shared_experiments(html, measured, figures);
  write_rooflines(html, measured);
  write_transfers(html, measured);
  write_energy(html, measured);
  write_devices(html, measured);
  write_claims(html, findings, figures);
  write_machine(html, measured);
  return end_page(html);
}

std::string index_page(const std::vector<Measured>& machines) {
  Html html;
  begin_page(html, "Machines: parlab");
  html.element("h1", "Machines").open("nav");
  link(html, "#machines", "Machines");
  link(html, "#compared", "Side by side");
  if (has_kinds_of_gpu(machines))
    link(html, "#scaling", "What a faster GPU changes");
  link(html, "#verdicts", "Claims");
  html.close().line_break();
  write_index(html, machines);
  return end_page(html);
}

}  // namespace parlab::page
