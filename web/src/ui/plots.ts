// Rows over time, tied to the clock both ways: a line marks the moment, a click goes there, a drag zooms all of them.
import { h, text } from '../base/dom';
import type { Header } from '../data/header';
import type { StaticData } from '../data/static';
import { Card } from './plot_card';

export class Plots {
  readonly element = h('div', { class: 'plots' });
  private stale = false;

  private cards: Card[] = [];
  private readonly hint = h('p', {});
  /** Headings, where the scene asked for outputs of its own: those come first. */
  private readonly ownHead = h('h4', { class: 'plots-own' }, 'Outputs of the scene');
  private readonly restHead = h('h4', { class: 'plots-rest' }, 'The run itself');
  private readonly eye = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) this.cards.find((c) => c.element === entry.target)?.show();
  }, { rootMargin: '200px' });
  private moment = NaN;

  constructor(header: Header, data: StaticData, private readonly seek: (t: number) => void, private dark: boolean) {
    this.element.append(this.hint);
    this.replace(header, data);
    new ResizeObserver(() => this.cards.forEach((c) => c.resize())).observe(this.element);
    setInterval(() => {
      if (!this.stale) return;
      this.stale = false;
      this.cards.forEach((c) => c.redraw());
    }, 250);
  }
  at(t: number): void {
    this.moment = t;
    for (const card of this.cards) card.at(t);
  }
  theme(dark: boolean): void {
    this.dark = dark;
    for (const card of this.cards) card.theme(dark);
  }
  /** Rows anew. Plots that were there stay where they are; a run that goes on has others when it first has contacts. */
  replace(header: Header, data: StaticData): void {
    const before = this.cards;
    const own = header.plots.filter((p) => p.own), rest = header.plots.filter((p) => !p.own);
    this.cards = [...own, ...rest].map((plot) => {
      const names = plot.series.map((s) => s.name), rows = plot.series.map((s) => data.f64(s.data));
      const key = [plot.title, plot.unit, !!plot.own, ...names].join('\n');
      const card = before.find((c) => c.key === key);
      if (card) card.replace(data.f64(plot.time), rows);
      return card ?? new Card(key, plot.title, plot.unit, plot.log, data.f64(plot.time), names, plot.series.map((s) => s.note ?? ''), rows, this.seek, this.dark);
    });
    for (const card of before)
      if (!this.cards.includes(card)) {
        this.eye.unobserve(card.element);
        card.element.remove();
      }
    const elements: HTMLElement[] = this.cards.map((c) => c.element);
    if (own.length && rest.length) elements.splice(own.length, 0, this.restHead);
    else this.restHead.remove();
    if (own.length) elements.unshift(this.ownHead);
    else this.ownHead.remove();
    elements.forEach((element, i) => {
      if (this.element.children[i] !== element) this.element.insertBefore(element, this.element.children[i] ?? null);
    });
    for (const card of this.cards) {
      if (before.includes(card)) continue;
      card.at(this.moment);
      this.eye.observe(card.element);
    }
    this.hint.className = this.cards.length ? 'hint' : 'empty';
    text(this.hint, this.cards.length ? 'Click: go to that moment. Drag: zoom. Double click: all of it.' : 'No rows over time were stored with this run.');
  }
  /** An event `rows` of a live run. */
  append(rows: { [key: string]: unknown }): void {
    const time = rows.time as number[] | undefined;
    if (!time) return;
    for (const card of this.cards) {
      const series = rows[card.title] as { [name: string]: number[] } | undefined;
      if (series) card.append(time, series);
    }
    this.stale = true;
  }
  get count(): number {
    return this.cards.length;
  }
}
