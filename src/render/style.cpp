// The style of a page on a screen, on a phone and on paper.
#include "render/html.hpp"

namespace parlab {

// Below a width of 46em tables become cards. No information depends on colour
// alone.
const char* const page_style = R"css(
* { box-sizing: border-box; }
:root { color-scheme: light dark; --ground: #fff; --ink: #1a1a1a; --soft: #444; --hair: #ddd; --link: #00457a;
  --own: #0b4a7d; --track: #f0f0f0; --library: #b35900; --third: #00735a; --fourth: #a1497c; --shade: #f7ede3; --span: #9fb6cd; --shadow: #bbb; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ground: #16181b; --ink: #e8e8e8; --soft: #b8b8b8; --hair: #43474d; --link: #8cc4f5;
    --own: #6db3ee; --track: #2a2d31; --library: #f0a35a; --third: #4cc3a5; --fourth: #e29ac7; --shade: #2c2620; --span: #3d5a75; --shadow: #666; }
  /* Figures that have colours of their own keep their hues. */
  figure svg:not(.strip) { filter: invert(1) hue-rotate(180deg); }
}
body { margin: 0 auto; padding: 0 1rem 3rem; max-width: 76rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, "DejaVu Sans", sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 1.5rem 0 0.5rem; }
h2 { font-size: 1.4rem; margin: 3rem 0 0.5rem; padding-top: 0.5rem; border-top: 2px solid var(--ink); }
h3 { font-size: 1.1rem; margin: 1.8rem 0 0.4rem; }
h4 { font-size: 1rem; margin: 1.2rem 0 0.4rem; }
p { margin: 0.4rem 0 0.8rem; max-width: 60rem; }
a { color: var(--link); }
small, .note { font-size: 0.85rem; color: var(--soft); }
[id] { scroll-margin-top: 1.5rem; }
td [id] { scroll-margin-top: 7rem; }
svg [id] { scroll-margin-top: 12rem; }
nav { margin: 0.6rem 0; }
nav a { display: inline-block; margin-right: 1rem; padding: 0.2rem 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1.2rem; margin: 0.5rem 0; }
dt { font-weight: 600; }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; max-width: 100%; }
/* A shadow on each side where a table goes on. */
.scroll:has(> table) { background: linear-gradient(to right, var(--ground) 2rem, transparent 4rem) local,
  linear-gradient(to left, var(--ground) 2rem, transparent 4rem) local,
  linear-gradient(to right, var(--shadow), transparent 1rem), linear-gradient(to left, var(--shadow), transparent 1rem); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
table { border-collapse: collapse; min-width: 50%; font-size: 0.92rem; line-height: 1.35; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.7rem 0.35rem 0; }
thead th { border-bottom: 1.5px solid var(--ink); vertical-align: bottom; }
tbody td { border-bottom: 1px solid var(--hair); }
td small, th small { display: block; font-weight: normal; }
tr.group th { padding-top: 1.2rem; border-bottom: 1px solid var(--ink); font-size: 1rem; }
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
.chart { background: #fff; }
.strip text, .strip a text { fill: var(--ink); }
.strip .row { fill: var(--track); opacity: 0; }
.strip a:hover .row, .strip a:focus .row { opacity: 0.6; }
.strip a [font-weight=bold]:first-of-type { fill: var(--link); text-decoration: underline; }
.strip .line { stroke: var(--ink); }
.strip .grid { stroke: var(--hair); }
.strip .shade { fill: var(--shade); }
.strip .span { stroke: var(--span); }
.strip .ring, .strip .start { fill: var(--ground); stroke: var(--own); }
.strip .disc { fill: var(--own); }
.strip .tick, .strip .square { fill: var(--library); }
.strip .triangle { fill: var(--third); }
.strip .diamond { fill: var(--fourth); }
figure svg.narrow { display: none; }
/* Over a key or a curve, or where a link leads to one, the others fade. */
figure svg:has(g[id*=gnuplot_plot_]:hover) g[id*=gnuplot_plot_]:not(:hover),
figure svg:has(g:target) g[id*=gnuplot_plot_]:not(:target), svg g.off { opacity: 0.12; }
svg g:target path { stroke-width: 3.5; }
.headlines { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 10.5rem), 1fr)); gap: 0.8rem; padding: 0;
  margin: 0.8rem 0; list-style: none; }
.headlines a { display: block; height: 100%; padding: 0.5rem 0.8rem; border: 1px solid var(--hair); border-top: 4px solid var(--own);
  color: inherit; text-decoration: none; font-size: 0.9rem; line-height: 1.3; }
.headlines b { display: block; font-size: 1.5rem; line-height: 1.3; }
.headlines a:hover { border-color: var(--link); }
#first h2, .choice h3 { margin-top: 0.6rem; border: 0; padding: 0; font-size: 1.15rem; }
.choice > div { display: none; scroll-margin-top: 5rem; }
.choice > p a { padding: 0.1rem 0.4rem; border: 1px solid var(--own); text-decoration: none; display: inline-block; margin: 0.1rem 0.3rem 0.1rem 0; }
h2 > a[href="#contents"] { font-size: 1rem; font-weight: normal; text-decoration: none; padding: 0 0.5rem; }
.choice > div:target, .choice:not(:has(> div:target)) > div:first-of-type { display: block; outline: none; }
.grid { min-width: 0; }
.grid caption { text-align: left; font-weight: 600; padding-top: 0.5rem; }
.grid td, .grid th { border: 0; font-weight: normal; padding: 0.1rem 0.7rem 0.1rem 0; }
:where(.grid, .said) a { display: inline-block; min-width: 4.6rem; margin: 0.1rem 0; padding: 0 0.3rem; border-bottom: 3px solid var(--hair);
  color: inherit; text-decoration: none; font-size: 0.85rem; }
.grid th { white-space: nowrap; }
.grid th + td a { min-width: 3.9rem; font-size: 0.78rem; }
[hidden] { display: none !important; }
a.v0, a.v1 { border-color: var(--third); }
a.v2 { border-color: var(--library); }
a.v3 { border-color: #c22; background: var(--shade); }
.grid a:hover, .said a:hover { text-decoration: underline; }
.said li div a { display: inline; padding: 0; border: 0; color: var(--link); font-size: inherit; text-decoration: underline; }
.said ul { columns: 2; column-gap: 2rem; margin: 0; padding: 0; list-style: none; }
.said li { display: grid; grid-template-columns: 5.4rem 1fr; gap: 0.6rem; align-items: start; break-inside: avoid;
  padding: 0.35rem 0.5rem; font-size: 0.9rem; line-height: 1.35; }
.said small { display: block; }
figcaption { font-size: 0.85rem; color: var(--soft); max-width: 60rem; }
ol.ladder { padding: 0; margin: 0.4rem 0; list-style: none; }
ol.ladder li { display: grid; grid-template-columns: 12rem minmax(8rem, 1fr) 3.4rem 8.5rem 12.5rem; gap: 0 0.8rem; align-items: center;
  padding: 0.2rem 0; border-bottom: 1px solid var(--hair); line-height: 1.3; }
ol.ladder svg { width: 100%; height: 0.9rem; display: block; overflow: visible; }
ol.ladder .share { text-align: right; font-variant-numeric: tabular-nums; }
ol.ladder .time small, ol.ladder .gain small { display: block; font-size: 0.78rem; }
ol.ladder .idea { grid-column: 1 / -1; }
.track { fill: var(--track); }
.filled { fill: var(--own); }
.framed { fill: var(--ground); stroke: var(--library); stroke-width: 2; vector-effect: non-scaling-stroke; }
:target { outline: 2px solid var(--library); outline-offset: 4px; }
.said li:target { outline-offset: -2px; }
tr:has(:target) { outline: 2px solid var(--library); outline-offset: 2px; }
td :target, section:target, svg g:target { outline: none; }
th[tabindex], [role=switch] { cursor: pointer; }
th[aria-sort=ascending]::after { content: " ▲"; }
th[aria-sort=descending]::after { content: " ▼"; }
[role=switch][aria-checked=false] { text-decoration: line-through; }
.filter button { margin-right: 0.5rem; }
.filter button[aria-pressed=true] { font-weight: bold; text-decoration: underline; }
#says { position: fixed; left: 0; right: 0; bottom: 0; margin: 0; max-width: none; padding: 0.4rem 1rem; background: var(--ink); color: var(--ground); }
@media (min-width: 46.01em), print {
  #claims .cards { table-layout: fixed; }
  #claims .cards th:nth-child(1) { width: 7%; }
  #claims .cards th:nth-child(2) { width: 11%; }
  #claims .cards th:nth-child(3) { width: 35%; }
  #claims .cards th:nth-child(4) { width: 34%; }
  #claims .cards th:nth-child(5) { width: 13%; }
  #claims .cards td { min-width: 0; overflow-wrap: break-word; }
}
@media (max-width: 46em) {
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: 0.5rem; }
  ol.ladder li { grid-template-columns: 1fr auto auto; }
  ol.ladder svg { grid-column: 1 / -1; grid-row: 2; }
  ol.ladder .gain { grid-column: 1 / -1; }
  ol.ladder .gain small { display: inline; }
  figure .scroll svg:not(.strip) { min-width: 34rem; }
  figure .scroll:not(:has(.strip))::before { content: "→ the picture goes on to the right"; position: sticky; left: 0;
    font-size: 0.85rem; color: var(--soft); }
  figure svg.narrow { display: block; }
  figure svg.wide { display: none; }
  .headlines { grid-template-columns: 1fr 1fr; gap: 0.4rem; }
  .said ul { columns: 1; }
  .choice > div { scroll-margin-top: 13rem; }
  .headlines a { padding: 0.3rem 0.5rem; font-size: 0.8rem; }
  table.cards, .cards tbody, .cards tr, .cards td:not(.none), .cards th { display: block; width: 100%; }
  .cards td.none { display: none; }
  .cards thead { display: none; }
  .cards tr { padding: 0.5rem 0; border-bottom: 1px solid var(--ink); }
  .cards tr.group { border-bottom: 0; padding-bottom: 0; }
  .cards td:not(.none) { display: grid; grid-template-columns: 8rem 1fr; gap: 0.6rem; border: 0;
    padding: 0.15rem 0; }
  .cards td::before { content: attr(data-label); color: var(--soft); font-size: 0.85rem; }
  .cards td > div { min-width: 0; overflow-wrap: anywhere; }
}
/* Two figures stand abreast, no word of them below six points. */
@page { size: landscape; margin: 1cm; }
@media print {
  html { font-size: 8pt; }
  body { line-height: 1.3; max-width: none; padding: 0; }
  nav { display: none; }
  h2 { margin-top: 1rem; break-after: avoid; }
  h3, h4 { margin-top: 0.8rem; }
  figure { margin: 0.1rem 0; }
  h3, h4, h2 + p, h3 + p, p:has(+ figure), summary { break-after: avoid; }
  th, td { padding: 0.15rem 0.5rem 0.15rem 0; }
  figure, li, tr { break-inside: avoid; }
  a { color: inherit; text-decoration: none; }
  .scroll { overflow: visible; }
  .figures { grid-template-columns: 1fr 1fr; gap: 0.4rem; }
  h2 > a[href="#contents"] { display: none; }
  .headlines { grid-template-columns: repeat(6, 1fr); }
  .strip { max-width: 19cm; }
  .figures .chart { max-width: 11.5cm; }
  .filter, #says, .said { display: none; }
  #rooflines figure { max-width: 12cm; }
  #claims .cards { font-size: 0.8rem; line-height: 1.25; }
  #claims small, #transfers small { font-size: inherit; }
  #transfers .cards { table-layout: fixed; font-size: 0.8rem; line-height: 1.25; }
  #transfers th:nth-child(2), #transfers th:nth-child(5) { width: 14.5%; }
  #transfers th:last-child { width: 9%; }
  #transfers td { overflow-wrap: break-word; }
  /* What is unfolded is printed, and what has this class: no long tables of numbers. */
  details:not([open]):not(.printed) { display: none; }
  details.printed::details-content { content-visibility: visible; display: block; }
  details details.printed::details-content { content-visibility: hidden; }
  .track, .filled, .framed, .strip, .grid a { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";

std::string style_of_choice(std::size_t count) {
  std::string links = ".choice:not(:has(> div:target)) > p a:first-child";
  for (std::size_t i = 1; i <= count; ++i) {
    const auto nth = ":nth-of-type(" + std::to_string(i) + ")";
    links += ", .choice:has(> div" + nth + ":target) > p a" + nth;
  }
  return links + " { background: var(--own); color: var(--ground); }";
}

}  // namespace parlab
