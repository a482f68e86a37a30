// What may be changed during a live run: sliders and fields by groups, set-points first.
import { h, put } from '../base/dom';
import { pretty } from '../base/units';
import type { Control } from '../data/header';

const PAUSE = 50; // ms between two values of a slider that is dragged: about 20 a second

type Send = (path: string, value: number) => Promise<void>;

/** One value. While it is dragged, or its last value is on its way, the server does not move it. */
class Row {
  readonly element: HTMLElement;
  private readonly field: HTMLInputElement;
  private readonly slider: HTMLInputElement | null;
  private held = false;
  private wanted: number | null = null;
  private told = NaN;
  private busy = false;
  private timer = 0;
  private last = -Infinity;

  constructor(c: Control, private readonly send: Send) {
    this.field = h('input', { type: 'number', step: 'any', value: c.value, 'aria-label': `${c.label}, number` });
    const bounded = Number.isFinite(c.low) && Number.isFinite(c.high) && c.low !== null && c.high !== null && c.high > c.low;
    this.slider = bounded ? h('input', { type: 'range', min: c.low, max: c.high, step: (c.high - c.low) / 500, value: c.value, 'aria-label': c.label }) : null;
    const { field, slider } = this;
    const set = (value: number): void => {
      if (!Number.isFinite(value)) return;
      field.value = String(Number(value.toPrecision(6)));
      if (slider) slider.value = String(value);
      this.push(c.path, value);
    };
    field.addEventListener('change', () => set(Number(field.value)));
    slider?.addEventListener('input', () => {
      this.held = true;
      field.value = String(Number(Number(slider.value).toPrecision(6)));
      if (c.immediate) this.push(c.path, Number(slider.value));
    });
    slider?.addEventListener('change', () => {
      this.held = false;
      set(Number(slider.value));
    });
    slider?.addEventListener('pointerdown', () => (this.held = true));
    for (const end of ['pointerup', 'pointercancel', 'blur']) slider?.addEventListener(end, () => (this.held = false));
    this.element = h('div', { class: 'control', title: c.path }, h('span', {}, c.label), h('span', { class: 'with-unit' }, field, h('span', { class: 'unit' }, pretty(c.unit))), slider);
  }

  /** One message at a time, the newest value, the last one always. */
  private push(path: string, value: number): void {
    this.wanted = value === this.told ? null : value;
    if (!this.timer && !this.busy) this.next(path);
  }
  private next(path: string): void {
    if (this.wanted === null) return;
    const pause = this.last + PAUSE - performance.now();
    if (pause > 0) {
      this.timer = window.setTimeout(() => {
        this.timer = 0;
        this.next(path);
      }, pause);
      return;
    }
    const value = this.wanted;
    this.wanted = null;
    this.told = value;
    this.busy = true;
    this.last = performance.now();
    void this.send(path, value).finally(() => {
      this.busy = false;
      if (!this.held) this.told = NaN; // the same again may be wanted, as after a refusal
      this.next(path);
    });
  }

  get dragged(): boolean {
    return this.held;
  }
  /** The value that the server has. */
  show(value: number): void {
    if (this.held || this.busy || this.timer || this.wanted !== null || document.activeElement === this.field) return;
    this.told = NaN;
    this.field.value = String(value);
    if (this.slider) this.slider.value = String(value);
  }
}

export class Controls {
  readonly element = h('div', { class: 'controls' });
  private rows: Row[] = [];
  private shown = '';
  private waiting: Control[] | null = null;

  constructor(private readonly send: Send) {
    // other controls wait until none is dragged: they would take it out of the hand
    for (const end of ['pointerup', 'pointercancel', 'change'])
      addEventListener(end, () => setTimeout(() => {
        if (this.waiting) this.show(this.waiting);
      }));
  }

  show(list: Control[]): void {
    this.waiting = null;
    // groups in their order, then what has none
    const groups = [...new Set(list.map((c) => c.group ?? ''))].filter(Boolean);
    const sorted = [...groups, ''].flatMap((g) => list.filter((c) => (c.group ?? '') === g));
    const shown = JSON.stringify(sorted.map((c) => [c.group ?? '', c.path, c.label, c.unit, c.low, c.high, !!c.immediate]));
    if (shown === this.shown) {
      sorted.forEach((c, i) => this.rows[i]!.show(c.value));
      return;
    }
    if (this.rows.some((r) => r.dragged)) {
      this.waiting = list;
      return;
    }
    this.shown = shown;
    this.rows = sorted.map((c) => new Row(c, this.send));
    const card = (g: string): HTMLElement | null => {
      const rows = this.rows.filter((_, i) => (sorted[i]!.group ?? '') === g);
      return rows.length ? h('section', { class: 'card' }, h('header', {}, h('h3', {}, g || 'May be changed while it runs')), ...rows.map((r) => r.element)) : null;
    };
    put(this.element, ...[...groups, ''].map(card));
  }
}
