#include "page/page.hpp"

#include "page/html.hpp"
#include "page/sections.hpp"
#include "page/style.hpp"

namespace parlab::page {
namespace {

void begin(Html& html, const std::string& title) {
  html.raw("<!DOCTYPE html>\n").open("html", {{"lang", "en"}}).open("head").line_break();
  html.single("meta", {{"charset", "utf-8"}}).line_break();
  html.single("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  // Whatever is in the records, nothing is run and nothing is fetched.
  html.single("meta",
              {{"http-equiv", "Content-Security-Policy"},
               {"content", "default-src 'none'; style-src 'unsafe-inline'; img-src data:"}});
  html.single("link", {{"rel", "icon"}, {"href", "data:,"}}).line_break();
  html.element("title", title).open("style").raw(style).close().close().line_break();
  html.open("body").open("main").line_break();
}

std::string end(Html& html) {
  html.close().close().close().line_break();
  return html.str();
}

void link(Html& html, const std::string& to, const std::string& text) {
  html.element("a", text, {{"href", to}}).raw(" ");
}

}  // namespace

std::string machine_page(const Measured& measured, const std::filesystem::path& figures) {
  Html html;
  begin(html, measured.machine + ": parlab");
  html.element("h1", measured.machine);
  html.element(
      "p",
      "What this machine did, what the source reports claimed, and which claims hold. Every "
      "number was measured after its result was proved right.");
  html.open("nav");
  link(html, "#machine", "The machine");
  link(html, "#glance", "At a glance");
  for (const auto& workload : measured.workloads()) {
    link(html, "#" + anchor("workload-" + workload), workload);
  }
  link(html, "#rooflines", "Rooflines");
  link(html, "#transfers", "Transfers");
  if (!measured.control.empty()) link(html, "#devices", "Devices");
  link(html, "#claims", "Claims");
  link(html, "../index.html", "All machines");
  html.close().line_break();
  write_machine(html, measured);
  write_glance(html, measured);
  for (const auto& workload : measured.workloads()) {
    write_workload(html, measured, workload, figures);
  }
  write_rooflines(html, measured);
  write_transfers(html, measured);
  write_devices(html, measured);
  write_claims(html, measured, figures);
  return end(html);
}

std::string index_page(const std::vector<Measured>& machines) {
  Html html;
  begin(html, "Machines: parlab");
  html.element("h1", "Machines").open("nav");
  link(html, "#machines", "Machines");
  link(html, "#compared", "Side by side");
  link(html, "#verdicts", "Claims");
  html.close().line_break();
  write_index(html, machines);
  return end(html);
}

}  // namespace parlab::page
