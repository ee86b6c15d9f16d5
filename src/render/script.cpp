// Additional functions of a page if scripts run. The page is complete without
// them.
#include "render/html.hpp"

namespace parlab {

// Names in the keys of figures become switches. Table headings sort, by
// quantities if cells have some. Verdicts filter the claims. The foot of the
// page describes the item under the mouse or a finger.
const char* const page_script = R"js(
const all = s => [...document.querySelectorAll(s)];
const press = (e, f) => {
  e.setAttribute('tabindex', 0);
  e.addEventListener('click', f);
  e.addEventListener('keydown', k => (k.key === 'Enter' || k.key === ' ') && (k.preventDefault(), f()));
};
for (const g of all('figure g[id*=gnuplot_plot_]')) {
  const key = g.querySelector('text');
  if (!key || !g.querySelector(':scope > title')) continue;
  key.setAttribute('role', 'switch');
  key.setAttribute('aria-checked', true);
  press(key, () => key.setAttribute('aria-checked', !g.classList.toggle('off')));
}
const unit = {n: 1e-9, 'µ': 1e-6, m: 1e-3, k: 1e3, K: 1024, M: 1e6, G: 1e9, T: 1e12};
const value = cell => {
  const text = cell ? cell.innerText.trim() : '', m = /^(-?[\d.]+) ?([nµmkKMGT]?)/.exec(text);
  if (!m) return text;
  const v = parseFloat(m[1]) * (/^-?[\d.]+ [nµmkKMGT][a-zBW]/.test(text) ? unit[m[2]] : 1);
  return /^[\d.]+× slower/.test(text) ? 1 / v : v;
};
const compare = (a, b) => typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
for (const head of all('thead th')) {
  const table = head.closest('table'), body = table.tBodies[0];
  if (!body || body.querySelector('tr.group')) continue;
  press(head, () => {
    const up = head.getAttribute('aria-sort') !== 'ascending', i = head.cellIndex;
    for (const other of table.querySelectorAll('th')) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    body.append(...[...body.rows].sort((a, b) => (up ? 1 : -1) * compare(value(a.cells[i]), value(b.cells[i]))));
  });
}
const claims = all('#claims .cards tbody tr:not(.group)');
if (claims.length) {
  const verdict = row => row.cells[1].textContent.split(',')[0].trim(), chosen = new Set();
  const bar = document.createElement('p');
  bar.className = 'filter';
  bar.append('Show only: ');
  for (const name of new Set(claims.map(verdict))) {
    const button = document.createElement('button');
    button.textContent = name;
    button.setAttribute('aria-pressed', false);
    button.addEventListener('click', () => {
      if (!chosen.delete(name)) chosen.add(name);
      button.setAttribute('aria-pressed', chosen.has(name));
      for (const row of claims) row.hidden = chosen.size > 0 && !chosen.has(verdict(row));
      const led = a => document.querySelector(a.getAttribute('href'));
      for (const li of all('#claims .said li')) li.hidden = led(li.querySelector('a[href^="#rule"]')).closest('tr').hidden;
      for (const a of all('#claims .grid a')) a.hidden = led(a).hidden;
    });
    bar.append(button);
  }
  document.querySelector('#claims > p').after(bar);
}
const says = document.createElement('p');
says.id = 'says';
says.hidden = true;
document.body.append(says);
const tell = e => {
  const title = e.target.closest && e.target.closest('figure svg *') && e.target.querySelector(':scope > title');
  says.hidden = !title;
  if (title) says.textContent = title.textContent;
};
for (const kind of ['pointerover', 'pointerdown', 'focusin']) document.addEventListener(kind, tell);
)js";

const char* const page_script_hash =
    "tAz3VvF0aYW6eSOdZwAya9CLfdeOSgvjevhMOsJqtTE=";

}  // namespace parlab
