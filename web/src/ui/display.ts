// What is drawn and how: the panel over the view, and the legends of what it chose.
import { h, put, text } from '../base/dom';
import { number, ordinal, quantity, scaleFor } from '../base/units';
import type { Header } from '../data/header';
import type { Player } from '../player';
import { STATUS_COLOURS, STATUS_HINTS, STATUS_NAMES, stops } from '../scene/palette';
import { roundLength } from '../scene/ground';
import type { Stage } from '../scene/stage';
import type { Labels } from './labels';

const MANY = 4000;
const ORDER = [2, 1, 3, 0]; // sticks, slides, closed, open

export class Display {
  readonly panel: HTMLElement;
  readonly legends = h('div', { class: 'legends' });
  readonly scaleBar = h('div', { class: 'scale-bar', title: 'Length at the centre of the view' });
  private readonly barText = h('span', { class: 'value' });
  readonly badges = h('div', { class: 'badges', 'aria-live': 'polite' });
  private readonly contactLegend: HTMLElement;
  private readonly counts: HTMLElement[] = [];
  private readonly keyBar = h('i', { class: 'force-key' });
  private readonly keyText = h('span', { class: 'value' });
  private readonly largest = h('span', { class: 'value' });
  private readonly fieldLegend = h('div', { class: 'legend-box field', hidden: true });
  private readonly fieldName = h('b');
  private readonly fieldBar = h('i', { class: 'field-bar' });
  private readonly fieldTicks = h('div', { class: 'field-ticks' });
  private readonly lowest = h('span', { class: 'hint' });
  private sawContacts = false;
  private meshFactor = 1;
  private lineFactor = 1;

  constructor(private readonly header: Header, private readonly player: Player, private readonly stage: Stage, labels: Labels) {
    const check = (label: string, on: boolean, set: (on: boolean) => void, key = ''): HTMLElement => {
      const box = h('input', { type: 'checkbox', id: key || undefined });
      box.checked = on;
      box.addEventListener('change', () => {
        set(box.checked);
        stage.touch();
      });
      return h('label', { class: 'check' }, box, label);
    };
    const slide = (label: string, low: number, high: number, value: number, show: (x: number) => string, set: (x: number) => void): HTMLElement => {
      const out = h('output', { class: 'value' }, show(value));
      const input = h('input', { type: 'range', min: low, max: high, step: (high - low) / 200, value });
      input.addEventListener('input', () => {
        set(Number(input.value));
        text(out, show(Number(input.value)));
        stage.touch();
      });
      return h('label', { class: 'slide' }, h('span', {}, label), out, input);
    };
    const times = (x: number): string => `× ${number(Math.pow(10, x), 3)}`;
    const hasSolids = stage.solids.instances > 0, hasSurfaces = stage.surfaces.surfaces.length > 0, hasLines = stage.lines.lines.length > 0;
    const maxContacts = header.plots.find((p) => p.title === 'contacts') ? this.mostContacts() : 0;
    stage.arrows.pointsOn = maxContacts <= 400;

    // of very many small bodies the edges would be all that is seen
    const edges = stage.solids.solids.reduce((n, s) => n + (s.kind === 'mesh' ? s.count : 0), 0) <= MANY;
    stage.solids.edges(edges);
    const controls: (HTMLElement | false)[] = [
      h('h4', {}, 'Contacts'),
      check('Forces as arrows', true, (on) => (stage.arrows.arrowsOn = on), 'show-arrows'),
      check('Contact places as points', stage.arrows.pointsOn, (on) => (stage.arrows.pointsOn = on)),
      slide('Length of arrows', -1.5, 1.5, 0, times, (x) => (stage.arrows.scale = Math.pow(10, x))),
      check('Length by the root of the force', false, (on) => stage.arrows.root(on)),
      (hasSolids || hasSurfaces) && h('h4', {}, 'Bodies'),
      (hasSolids || hasSurfaces) && slide('Opacity', 0.1, 1, 1, (x) => `${Math.round(100 * x)}\u202f%`, (x) => stage.opacity(x)),
      (hasSolids || hasSurfaces) && check('Edges', edges, (on) => {
        stage.solids.edges(on);
        stage.surfaces.edges(on);
      }),
      hasSurfaces && h('label', { class: 'slide' }, h('span', {}, 'Colour by'), this.fieldSelect()),
      (hasSurfaces || hasLines) && h('h4', {}, 'Displacements'),
      hasSurfaces && slide('Exaggerate bodies', 0, 4, 0, times, (x) => {
        stage.surfaces.exaggeration = this.meshFactor = Math.pow(10, x);
        stage.frameChanged();
        this.badge();
      }),
      hasLines && slide('Exaggerate strings', -2, 2, 0, (x) => `× ${number(Math.pow(10, x) * (header.lines[0]?.exaggerate ?? 1), 3)}`, (x) => {
        stage.lines.exaggeration = this.lineFactor = Math.pow(10, x);
        stage.lines.placeMarks();
        stage.frameChanged();
        this.badge();
      }),
      h('h4', {}, 'View'),
      stage.joints.count > 0 && check('Joints', true, (on) => stage.joints.show(on), 'show-joints'),
      check('Names', false, (on) => labels.toggle(on), 'show-names'),
      stage.ground.count > 0 && check('Planes', true, (on) => stage.ground.show(on)),
      stage.lines.marks > 0 && check('Marks', true, (on) => stage.lines.showMarks(on)),
      check('Smooth between frames', false, (on) => {
        player.smooth.value = on;
        player.invalidate();
        this.badge();
      }),
      stage.ground.count > 0 && h('p', { class: 'hint' }, `The grid has lines each ${quantity(stage.ground.spacing, 'm')}.`),
    ];
    this.panel = h('div', { class: 'display', hidden: true, id: 'display', role: 'group', 'aria-label': 'What is drawn' });
    put(this.panel, ...controls);

    this.contactLegend = h('div', { class: 'legend-box contacts', hidden: true },
      h('div', { class: 'legend-title' }, h('b', {}, 'Contact forces'), h('span', {}, 'largest ', this.largest)),
      h('div', { class: 'statuses' }, ...ORDER.map((s) => {
        const count = h('b', { class: 'value' }, '0');
        this.counts[s] = count;
        const button: HTMLButtonElement = h('button', { type: 'button', class: 'series', 'aria-pressed': 'true', title: `${STATUS_HINTS[s]}. Press: show or hide`, onclick: () => {
          const on = !stage.arrows.isShown(s);
          stage.arrows.show(s, on);
          button.setAttribute('aria-pressed', String(on));
          stage.frameChanged();
        } }, h('i', { class: 'swatch', style: `background:${STATUS_COLOURS[s]}` }), h('span', {}, STATUS_NAMES[s]!), count);
        return button;
      })),
      h('div', { class: 'key' }, this.keyBar, this.keyText));
    put(this.fieldLegend, h('div', { class: 'legend-title' }, this.fieldName), this.fieldBar, this.fieldTicks, this.lowest);
    put(this.legends, this.fieldLegend, this.contactLegend);
    if (hasSurfaces && stage.surfaces.choices.length) this.chooseField(stage.surfaces.choices[0]!.name);
    put(this.scaleBar, h('i'), this.barText);
    this.badge();
  }

  private mostContacts(): number {
    let most = 0;
    for (let k = 0; k < this.player.frames.count; k++) {
      const slot = this.player.frames.get(k);
      if (slot) most = Math.max(most, (slot.end - slot.begin - this.header.frame_bytes) / 52);
    }
    return most;
  }
  private fieldSelect(): HTMLElement {
    const select = h('select', { id: 'field', 'aria-label': 'Colour by' }, h('option', { value: '' }, 'one colour a body'),
      ...this.stage.surfaces.choices.map((c) => h('option', { value: c.name }, c.name)));
    select.value = this.stage.surfaces.choices[0]?.name ?? '';
    select.addEventListener('change', () => this.chooseField(select.value));
    return select;
  }
  private chooseField(name: string): void {
    this.stage.surfaces.choose(name);
    this.stage.surfaces.update();
    this.stage.touch();
    this.fieldLegend.hidden = !this.stage.surfaces.chosen;
    this.legend();
  }

  private legend(): void {
    const { chosen } = this.stage.surfaces;
    if (!chosen) return;
    const [lo, hi] = this.stage.surfaces.range();
    const s = scaleFor(Math.max(Math.abs(lo), Math.abs(hi)), chosen.unit);
    text(this.fieldName, `${chosen.name}${s.unit ? `, ${s.unit}` : ''}`);
    this.fieldBar.style.background = `linear-gradient(90deg, ${stops(this.stage.surfaces.diverging).join(',')})`;
    const told = [lo, (lo + hi) / 2, hi].map((x) => number(x * s.factor, 3)).join('|');
    if (this.fieldTicks.dataset.told !== told) {
      this.fieldTicks.dataset.told = told;
      put(this.fieldTicks, ...told.split('|').map((x) => h('span', {}, x)));
    }
    text(this.lowest, chosen.name === '|displacement|' ? 'range: largest seen so far' : 'range over all frames');
  }

  /** Honest words about what is not as computed. */
  private badge(): void {
    const { every, of } = this.header.decimated;
    const words: string[] = [];
    const line = (this.header.lines[0]?.exaggerate ?? 1) * this.lineFactor;
    if (this.stage.lines.lines.length && Math.abs(line - 1) > 1e-3) words.push(`strings drawn with displacements × ${number(line, 3)}`);
    if (this.stage.surfaces.surfaces.length && Math.abs(this.meshFactor - 1) > 1e-3) words.push(`displacements × ${number(this.meshFactor, 3)}; contacts at their true places`);
    if (this.player.smooth.value) words.push('motion between frames is interpolated');
    put(this.badges, ...words.map((w) => h('span', { class: 'badge' }, w)));
    // the page says at its head what pictures must say themselves
    this.badgeText = every > 1 ? [...words, `each ${ordinal(every)} of ${number(of)} frames`] : words;
  }
  badgeText: string[] = [];

  update(): void {
    const { arrows, camera } = this.stage;
    const pixel = camera.pixel(this.stage.height);
    const bar = roundLength(90 * pixel);
    (this.scaleBar.firstChild as HTMLElement).style.width = `${bar / pixel}px`;
    text(this.barText, quantity(bar, 'm'));
    const total = arrows.byStatus.reduce((a, b) => a + b, 0);
    if (total > 0 && !this.sawContacts) {
      this.sawContacts = true;
      this.contactLegend.hidden = false;
    }
    if (this.sawContacts) {
      ORDER.forEach((s) => text(this.counts[s]!, number(arrows.byStatus[s]!)));
      text(this.largest, quantity(arrows.largest, 'N', 3));
      const pixels = arrows.length / pixel;
      const shown = Math.max(8, Math.min(150, pixels));
      this.keyBar.style.width = `${shown}px`;
      text(this.keyText, arrows.unit && !arrows.rooted ? `this long: ${quantity((arrows.unit * shown) / pixels, 'N', 3)}` : arrows.rooted ? 'length by the root of the force' : '');
    }
    this.legend();
  }
  toggle(): void {
    this.panel.hidden = !this.panel.hidden;
  }
}
