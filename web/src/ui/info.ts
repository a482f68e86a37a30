// What the run is and how right it was: title, ledger, worst values, provenance, literature.
import { h } from '../base/dom';
import { number, ordinal, quantity } from '../base/units';
import type { Extreme, Header } from '../data/header';

const isExtreme = (x: unknown): x is Extreme => !!x && typeof x === 'object' && 'value' in x && 'row' in x;

/** Lines of the summary: key, words, unit, in the order in which they are read. */
const LINES: [string, string, string][] = [
  ['steps', 'Steps', '1'],
  ['time', 'Time reached', 's'],
  ['wall_time', 'Time taken', 's'],
  ['real_time_factor', 'Real-time factor', '1'],
  ['residual', 'Worst contact residual as solved', '1'],
  ['residual_after', 'Worst contact residual after the step', '1'],
  ['penetration', 'Deepest penetration', 'm'],
  ['gap', 'Smallest gap', 'm'],
  ['joint_gap', 'Largest gap of a joint', 'm'],
  ['unexplained_step', 'Largest unexplained energy of a step', 'J'],
  ['contacts', 'Most contacts', '1'],
  ['contact_steps', 'Steps with contact', '1'],
  ['failed_steps', 'Steps whose contact problem failed', '1'],
  ['iterations', 'Iterations of the solver', '1'],
  ['passes', 'Passes', '1'],
  ['halvings', 'Halved steps', '1'],
];
const QUIET_AT_ZERO = new Set(['joint_gap', 'failed_steps', 'halvings', 'passes']);

function row(key: string, value: string, note = '', bad = false): HTMLElement {
  return h('tr', { class: bad ? 'bad' : undefined }, h('th', { scope: 'row' }, key), h('td', {}, value, note ? h('small', {}, ' ', note) : null));
}

function summaryTable(summary: Record<string, unknown>): HTMLElement {
  const rows: HTMLElement[] = [];
  const complete = summary.complete !== false;
  rows.push(row('State', complete ? 'reached its end' : `stopped: ${String(summary.stopped ?? 'reason not stored')}`, '', !complete));
  for (const [key, words, unit] of LINES) {
    const value = summary[key];
    const x = isExtreme(value) ? value.value : typeof value === 'number' ? value : null;
    if (x === null || x === undefined || (x === 0 && QUIET_AT_ZERO.has(key))) continue;
    const at = isExtreme(value) && value.row >= 0 && Number.isFinite(x) ? `row ${number(value.row)}` : '';
    rows.push(row(words, quantity(x, unit), at, key === 'failed_steps' && x > 0));
  }
  return h('table', { class: 'facts' }, h('tbody', {}, ...rows));
}

function energyTable(summary: Record<string, unknown>): HTMLElement | null {
  const energy = summary.energy as { start?: number; kinetic?: number; potential?: number; end?: number } | undefined;
  if (!energy || typeof energy.start !== 'number' || typeof energy.end !== 'number') return null;
  const ledger = (summary.ledger ?? {}) as Record<string, number>;
  const rows = [row('At the start', quantity(energy.start, 'J'))];
  let sum = energy.start;
  for (const [account, work] of Object.entries(ledger)) {
    if (typeof work !== 'number') continue;
    sum += work;
    rows.push(row(account, (work > 0 ? '+' : '') + quantity(work, 'J')));
  }
  rows.push(row('Start and ledger together', quantity(sum, 'J')));
  rows.push(row('At the end', quantity(energy.end, 'J'), `kinetic ${quantity(energy.kinetic ?? NaN, 'J')}, potential ${quantity(energy.potential ?? NaN, 'J')}`));
  rows.push(row('Unexplained', quantity(energy.end - sum, 'J')));
  return h('table', { class: 'facts' }, h('tbody', {}, ...rows));
}

export function makeInfo(header: Header): HTMLElement {
  const summary = header.summary as Record<string, unknown> | null;
  const members = header.bodies.reduce((n, b) => n + Math.max(1, b.members), 0);
  const kinds = [...new Set(header.bodies.map((b) => `${b.kind}, ${b.scheme}`))];
  const { every, of } = header.decimated;
  const model = [
    row('Bodies', number(members), kinds.length <= 3 ? kinds.join('; ') : `${kinds.length} kinds and schemes`),
    header.joints.length ? row('Joints', number(header.joints.length), [...new Set(header.joints.map((j) => j.kind))].join(', ')) : null,
    header.gravity ? row('Gravity', `${quantity(Math.hypot(...header.gravity), 'm/s^2')}`, `(${header.gravity.map((g) => number(g)).join(', ')})`) : null,
    row('Frames here', number(header.frames.count), every > 1 ? `each ${ordinal(every)} of ${number(of)} stored` : 'all that were stored'),
    header.file ? row('File', header.file) : null,
  ].filter((x): x is HTMLElement => !!x);
  const card = (title: string, ...content: (Node | null)[]): HTMLElement => h('section', { class: 'card' }, h('header', {}, h('h3', {}, title)), ...content);
  const energy = summary && energyTable(summary);
  return h('div', { class: 'info' },
    card(header.title || 'Untitled', h('table', { class: 'facts' }, h('tbody', {}, ...model))),
    card('How the run went', summary ? summaryTable(summary)
      : h('p', { class: 'empty' }, header.live || !header.finished ? 'The run has not ended: no summary yet.' : 'No summary was stored.')),
    energy ? card('Energy ledger', energy) : null,
    Object.keys(header.provenance).length
      ? card('Provenance', h('table', { class: 'facts' }, h('tbody', {}, ...Object.entries(header.provenance).map(([k, v]) => row(k, String(v)))))) : null,
    header.cite.length ? card('To cite', h('p', { class: 'cite' }, ...header.cite.flatMap((key) => [h('code', {}, key), ' '])),
      h('p', { class: 'hint' }, 'saltus info --cite prints these entries as BibTeX.')) : null);
}
