// How a page looks: on a screen, on a phone, on paper.
#include "render/html.hpp"

namespace parlab {

// Below 46em tables are cards. Nothing is told by colour alone.
const char* const page_style = R"css(
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 0 1rem 3rem; max-width: 76rem; background: #fff; color: #1a1a1a;
  font: 1rem/1.5 system-ui, "DejaVu Sans", sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 1.5rem 0 0.5rem; }
h2 { font-size: 1.4rem; margin: 3rem 0 0.5rem; padding-top: 0.5rem; border-top: 2px solid #1a1a1a; }
h3 { font-size: 1.1rem; margin: 1.8rem 0 0.4rem; }
h4 { font-size: 1rem; margin: 1.2rem 0 0.4rem; }
p { margin: 0.4rem 0 0.8rem; max-width: 60rem; }
a { color: #00457a; }
small, .note { font-size: 0.85rem; color: #444; }
nav { margin: 1rem 0; }
nav a { display: inline-block; margin-right: 1rem; padding: 0.2rem 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1.2rem; margin: 0.5rem 0; }
dt { font-weight: 600; }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; max-width: 100%; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
table { border-collapse: collapse; min-width: 50%; font-size: 0.92rem; line-height: 1.35; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.7rem 0.35rem 0; }
thead th { border-bottom: 1.5px solid #1a1a1a; vertical-align: bottom; }
tbody td { border-bottom: 1px solid #ddd; }
td small, th small { display: block; font-weight: normal; }
tr.group th { padding-top: 1.2rem; border-bottom: 1px solid #1a1a1a; font-size: 1rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.cards { width: 100%; }
.cards td { min-width: 5.5rem; }
.cards small { hyphens: none; }
details { margin: 0.6rem 0; }
summary { cursor: pointer; }
details details { margin-left: 1rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 30rem), 1fr));
  gap: 1rem; }
figure { margin: 0.5rem 0; min-width: 0; }
figure svg { display: block; width: 100%; height: auto; max-width: 60rem; }
.chart text { font-size: 15px; fill: #1a1a1a; }
.chart .grid { stroke: #d8d8d8; stroke-width: 0.8; }
.chart .axis { stroke: #444; stroke-width: 1.2; }
.chart .line { fill: none; stroke-width: 2; }
.chart .leader { stroke: #777; stroke-width: 0.8; }
.chart .label { fill: #fff; stroke: #444; stroke-width: 0.8; }
.chart { background: #fff; }
#summary p a { white-space: nowrap; }
figcaption { font-size: 0.85rem; color: #444; }
ol.ladder { padding-left: 1.6rem; max-width: 60rem; }
ol.ladder li { margin-bottom: 0.9rem; }
ol.ladder p { margin: 0; }
.bar { display: grid; grid-template-columns: 13rem 1fr 4.5rem; gap: 0.6rem; align-items: center;
  font-size: 0.85rem; }
.bar svg { width: 100%; overflow: visible; height: 0.7rem; display: block; }
.bar .what { overflow-wrap: anywhere; }
.track { fill: #f0f0f0; }
.filled { fill: #0b4a7d; }
.framed { fill: #fff; stroke: #0b4a7d; stroke-width: 2; vector-effect: non-scaling-stroke; }
:target { outline: 2px solid #b35900; outline-offset: 4px; }
@media (min-width: 46.01em), print {
  #claims table { table-layout: fixed; }
  #claims th:nth-child(1) { width: 7%; }
  #claims th:nth-child(2) { width: 11%; }
  #claims th:nth-child(3) { width: 35%; }
  #claims th:nth-child(4) { width: 34%; }
  #claims th:nth-child(5) { width: 13%; }
  #verdicts td:first-child { width: 45%; }
  #summary td:nth-child(3):not(:last-child) { min-width: 7.6rem; }
  #glance td:nth-child(3) { min-width: 9rem; }
  #claims td { min-width: 0; overflow-wrap: break-word; }
}
@media (max-width: 46em) {
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: 0.5rem; }
  .bar { grid-template-columns: 5.5rem 1fr 3.6rem; }
  figure .scroll svg { min-width: 34rem; }
  table.cards, .cards tbody, .cards tr, .cards td:not(.none), .cards th { display: block; width: 100%; }
  .cards td.none { display: none; }
  .cards thead { display: none; }
  .cards tr { padding: 0.5rem 0; border-bottom: 1px solid #1a1a1a; }
  .cards tr.group { border-bottom: 0; padding-bottom: 0; }
  .cards td:not(.none) { display: grid; grid-template-columns: 8rem 1fr; gap: 0.6rem; border: 0;
    padding: 0.15rem 0; }
  .cards td::before { content: attr(data-label); color: #444; font-size: 0.85rem; }
  .cards td > div { min-width: 0; overflow-wrap: anywhere; }
}
@page { margin: 1cm; }
@media print {
  html { font-size: 8pt; }
  body { line-height: 1.3; max-width: none; padding: 0; }
  nav { display: none; }
  h2 { margin-top: 1rem; break-after: avoid; }
  h3, h4 { margin-top: 0.8rem; }
  figure { margin: 0.1rem 0; }
  h3, h4 { break-after: avoid; }
  th, td { padding: 0.15rem 0.5rem 0.15rem 0; }
  figure, li, tr, .bar { break-inside: avoid; }
  a { color: inherit; text-decoration: none; }
  .scroll { overflow: visible; }
  .figures { grid-template-columns: 1fr 1fr 1fr; gap: 0.4rem; }
  ol.ladder { columns: 2; column-gap: 2.6rem; max-width: none; }
  ol.ladder li { margin-bottom: 0.4rem; }
  #summary { break-after: page; }
  #summary p { max-width: none; margin: 0.2rem 0 0.4rem; }
  #rooflines figure { max-width: 9cm; }
  #claims table { font-size: 0.8rem; line-height: 1.25; }
  #claims small, #transfers small { font-size: inherit; }
  #transfers table { table-layout: fixed; font-size: 0.8rem; line-height: 1.25; }
  #transfers th:nth-child(2), #transfers th:nth-child(5) { width: 14.5%; }
  #transfers th:last-child { width: 9%; }
  #transfers td { overflow-wrap: break-word; }
  /* What is unfolded is printed, and what has this class: no long tables of numbers. */
  details:not([open]):not(.printed) { display: none; }
  details.printed::details-content { content-visibility: visible; display: block; }
  details details.printed::details-content { content-visibility: hidden; }
  .track, .filled, .framed { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";

}  // namespace parlab
