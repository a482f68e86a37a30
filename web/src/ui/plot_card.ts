// One plot: rows over time with a line at the moment that is shown.
import uPlot from 'uplot';
import { h, put, text } from '../base/dom';
import { number, power, pretty, scaleFor } from '../base/units';

const COLOURS_LIGHT = ['#2364aa', '#c65f16', '#2b8a57', '#8a4fb0', '#b3364d', '#5b6770', '#9a7b12', '#1f8f98'];
const COLOURS_DARK = ['#6ea8ea', '#f0a05a', '#6fca97', '#c093e6', '#ee8294', '#aab5bf', '#d9bd55', '#62c9d2'];
const MOST = 20_000; // moments of a live row before every second one goes

type Row = (number | null)[];

export class Card {
  readonly element: HTMLElement;
  readonly times: number[];
  readonly rows: Row[];
  plot: uPlot | null = null;
  log: boolean;
  private readonly holder = h('div', { class: 'chart' });
  private readonly now = h('div', { class: 'now-line' });
  private readonly values: HTMLElement[] = [];
  private readonly swatches: HTMLElement[] = [];
  private readonly unitText = h('span', { class: 'unit' });
  private readonly logButton: HTMLButtonElement;
  private hover: number | null = null;
  private seen = false;
  private moment = NaN;

  constructor(readonly key: string, readonly title: string, readonly unit: string, log: boolean, time: ArrayLike<number>, readonly names: string[], notes: string[],
    data: ArrayLike<number>[], private readonly seek: (t: number) => void, private dark: boolean) {
    this.log = log;
    this.times = Array.from(time);
    this.rows = data.map((row) => Array.from(row, (x) => (Number.isFinite(x) ? x : null)));
    this.logButton = h('button', { type: 'button', class: 'small', 'aria-pressed': String(log), title: 'Logarithmic axis', onclick: () => this.setLog(!this.log) }, 'log');
    const legend = h('div', { class: 'legend' }, ...names.map((name, i) => {
      const swatch = h('i', { class: 'swatch' });
      const value = h('b', { class: 'value' }, '–');
      this.swatches.push(swatch);
      this.values.push(value);
      return h('button', { type: 'button', class: 'series', 'aria-pressed': 'true', title: notes[i] || `Show or hide ${name}`, onclick: (e: Event) => this.toggle(i, e.currentTarget as HTMLElement) },
        swatch, h('span', {}, name), value);
    }));
    this.element = h('section', { class: 'card plot', 'aria-label': `Plot: ${title}` },
      h('header', {}, h('h3', {}, title), this.unitText, this.logButton), legend, this.holder);
    put(this.unitText, pretty(unit === '1' ? '' : unit));
  }

  private toggle(i: number, button: HTMLElement): void {
    const shown = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', String(shown));
    this.plot?.setSeries(i + 1, { show: shown });
  }
  private setLog(on: boolean): void {
    this.log = on;
    this.logButton.setAttribute('aria-pressed', String(on));
    this.rebuild();
  }
  theme(dark: boolean): void {
    this.dark = dark;
    if (this.plot) this.rebuild();
    else this.paint();
  }
  private paint(): void {
    this.swatches.forEach((swatch, i) => (swatch.style.background = this.colour(i)));
  }
  private colour(i: number): string {
    const list = this.dark ? COLOURS_DARK : COLOURS_LIGHT;
    return list[i % list.length]!;
  }
  private data(): uPlot.AlignedData {
    const rows = this.log ? this.rows.map((row) => row.map((x) => (x !== null && x > 0 ? x : null))) : this.rows;
    return [this.times, ...rows] as uPlot.AlignedData;
  }

  show(): void {
    if (!this.seen) {
      this.seen = true;
      this.rebuild();
    }
  }
  rebuild(): void {
    if (!this.seen) return;
    const zoom = this.plot?.scales.x;
    const kept = zoom && this.times.length && (zoom.min! > this.times[0]! || zoom.max! < this.times[this.times.length - 1]!) ? { min: zoom.min!, max: zoom.max! } : null;
    this.plot?.destroy();
    this.plot = null;
    this.paint();
    const data = this.data();
    const empty = !data.slice(1).some((row) => (row as Row).some((x) => x !== null));
    if (this.times.length < 1 || empty) {
      put(this.holder, h('p', { class: 'empty' }, this.times.length < 1 || this.rows.every((row) => row.every((x) => x === null))
        ? 'No values were stored.' : 'Nothing above zero: a logarithmic axis shows nothing.'));
      return;
    }
    put(this.holder);
    const line = this.dark ? '#2b333c' : '#e3e6ea';
    const ink = this.dark ? '#9aa6b2' : '#5c6670';
    const font = '11px ui-sans-serif, system-ui, "Segoe UI", Roboto, sans-serif';
    const prefix = (low: number, high: number): { factor: number; unit: string } => scaleFor(Math.max(Math.abs(low), Math.abs(high)), this.unit);
    const yValues = (u: uPlot, ticks: number[]): (string | null)[] => {
      if (this.log) {
        put(this.unitText, pretty(this.unit === '1' ? '' : this.unit));
        return ticks.map((v) => power(Math.round(Math.log10(v))));
      }
      const s = prefix(u.scales.y!.min ?? 0, u.scales.y!.max ?? 0);
      put(this.unitText, s.unit);
      return ticks.map((v) => number(Number((v * s.factor).toPrecision(9)), 6));
    };
    const xValues = (u: uPlot, ticks: number[]): string[] => {
      const s = scaleFor(Math.max(Math.abs(u.scales.x!.min ?? 0), Math.abs(u.scales.x!.max ?? 0)), 's');
      return ticks.map((v, i) => number(Number((v * s.factor).toPrecision(9)), 6) + (i === ticks.length - 1 ? ` ${s.unit}` : ''));
    };
    const alone = (data.slice(1) as Row[]).map(isolated);
    const axis = { stroke: ink, font, grid: { stroke: line, width: 1 }, ticks: { show: false } };
    this.plot = new uPlot({
      width: this.width(), height: 148, data, legend: { show: false },
      padding: [8, 22, 0, 0],
      scales: { x: { time: false }, y: this.log ? { distr: 3, range: decadeRange } : { range: flatRange } },
      series: [{}, ...this.names.map((name, i) => ({ label: name, stroke: this.colour(i), width: 1.4, points: { show: true, size: 3.5, filter: () => alone[i]! }, spanGaps: false }))],
      axes: [{ ...axis, values: xValues, size: 26, space: 56, gap: 4 }, { ...axis, ...(this.log ? { splits: decades, filter: (_: uPlot, ticks: number[]) => ticks } : {}), values: yValues, size: 52, space: 26, gap: 4 }],
      cursor: { y: false, drag: { x: true, y: false, dist: 6 }, points: { size: 6 }, sync: { key: 'saltus', scales: ['x', null], setSeries: false } },
      hooks: {
        setCursor: [(u: uPlot) => {
          this.hover = u.cursor.left !== undefined && u.cursor.left! >= 0 ? (u.cursor.idx ?? null) : null;
          this.readings();
        }],
        setScale: [(u: uPlot, key: string) => {
          if (key === 'x') queueMicrotask(() => u === this.plot && this.placeLine());
        }],
      },
    } as uPlot.Options, data, this.holder);
    if (kept) this.plot.setScale('x', kept);
    const over = this.plot.over;
    over.append(this.now);
    let downAt = -1;
    over.addEventListener('mousedown', (e) => (downAt = e.clientX));
    over.addEventListener('mouseup', (e) => {
      if (Math.abs(e.clientX - downAt) < 5 && this.plot) this.seek(this.plot.posToVal(e.clientX - over.getBoundingClientRect().left, 'x'));
    });
    this.placeLine();
  }
  private width(): number {
    return Math.max(120, this.holder.clientWidth);
  }
  resize(): void {
    if (this.plot && this.plot.width !== this.width()) {
      this.plot.setSize({ width: this.width(), height: 148 });
      this.placeLine();
    }
  }
  at(t: number): void {
    this.moment = t;
    if (!this.seen) return;
    this.placeLine();
    if (this.hover === null) this.readings();
  }
  private placeLine(): void {
    if (!this.plot) return;
    const x = this.plot.valToPos(this.moment, 'x');
    const inside = x >= -0.5 && x <= this.plot.over.clientWidth + 0.5;
    this.now.style.transform = `translateX(${Math.round(x * 2) / 2}px)`;
    this.now.style.opacity = inside ? '1' : '0';
  }
  private index(t: number): number {
    let low = 0, high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle]! <= t) low = middle;
      else high = middle - 1;
    }
    return low;
  }
  private readings(): void {
    const k = this.hover ?? this.index(this.moment);
    this.values.forEach((element, i) => {
      const x = this.rows[i]![k];
      const s = scaleFor(Math.abs(x ?? 0), this.unit);
      text(element, x === null || x === undefined ? '–' : `${number(x * s.factor, 4)}${s.unit ? '\u00a0' + s.unit : ''}`);
    });
  }

  replace(time: ArrayLike<number>, data: ArrayLike<number>[]): void {
    this.times.splice(0, this.times.length, ...Array.from(time));
    this.rows.forEach((row, i) => row.splice(0, row.length, ...Array.from(data[i] ?? [], (x) => (Number.isFinite(x) ? x : null))));
    this.rebuild();
  }
  append(time: number[], series: { [name: string]: number[] }): void {
    for (let i = 0; i < time.length; i++) {
      this.times.push(time[i]!);
      this.names.forEach((name, s) => {
        const x = series[name]?.[i];
        this.rows[s]!.push(x !== undefined && x !== null && Number.isFinite(x) ? x : null);
      });
    }
    while (this.times.length > MOST) {
      const half = <T>(list: T[]): void => {
        let n = 0;
        for (let i = 0; i < list.length; i += 2) list[n++] = list[i]!;
        list.length = n;
      };
      half(this.times);
      this.rows.forEach(half);
    }
  }
  redraw(): void {
    if (!this.seen) return;
    if (this.plot) this.plot.setData(this.data());
    else this.rebuild();
    this.placeLine();
  }
}

/** Values without neighbours, which a line would not show. */
function isolated(row: Row): number[] {
  const out: number[] = [];
  for (let i = 0; i < row.length; i++) if (row[i] !== null && (row[i - 1] ?? null) === null && (row[i + 1] ?? null) === null) out.push(i);
  return out;
}

/** Whole decades, sixteen at most: below that it is rounding of rounding. */
function decadeRange(_: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !(high > 0)) return [1e-1, 1];
  const top = Math.ceil(Math.log10(high) - 1e-9);
  const bottom = Math.max(Math.floor(Math.log10(Math.max(low, 1e-300)) + 1e-9), top - 16);
  return [Math.pow(10, Math.min(bottom, top - 1)), Math.pow(10, top)];
}

function decades(u: uPlot): number[] {
  const low = Math.round(Math.log10(u.scales.y!.min ?? 0.1)), high = Math.round(Math.log10(u.scales.y!.max ?? 1));
  const every = Math.max(1, Math.ceil((high - low) / 5));
  const out: number[] = [];
  for (let e = Math.ceil(low / every) * every; e <= high; e += every) out.push(Math.pow(10, e));
  return out;
}

/** Linear range that does not fall to nothing where a row is constant. */
function flatRange(_: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  const span = high - low;
  if (span <= 1e-12 * Math.max(Math.abs(low), Math.abs(high)) || span === 0) {
    const room = Math.abs(high) * 0.1 || 1;
    return low >= 0 && low - room < 0 ? [0, high + room] : [low - room, high + room];
  }
  const room = 0.08 * span;
  return [low >= 0 && low - room < 0 ? 0 : low - room, high <= 0 && high + room > 0 ? 0 : high + room];
}
