// Joints in the panel of bodies: a list, and of the chosen one its kind, bodies and coordinates.
import { h, put, text } from '../base/dom';
import { memberName } from '../base/names';
import { number, quantity } from '../base/units';
import type { Header, Joint } from '../data/header';
import type { Player } from '../player';
import { Coordinates } from '../scene/coordinates';
import type { Stage } from '../scene/stage';

const MOST = 500; // in the list; others by number

export class JointPanel {
  readonly element: HTMLElement;
  joint = -1;
  readonly coordinates: Coordinates;
  private readonly facts = h('tbody', {});
  private readonly table = h('table', { class: 'facts' }, this.facts);
  private readonly cells = new Map<string, HTMLElement>();
  private readonly select: HTMLSelectElement | HTMLInputElement;
  private readonly many: boolean;

  /** `chooseBody`: another panel shows a body. */
  constructor(private readonly header: Header, private readonly player: Player, private readonly stage: Stage, private readonly chooseBody: (body: number, member: number) => void) {
    this.coordinates = new Coordinates(header.joints, stage.joints.anchors);
    this.many = header.joints.length > MOST;
    this.select = this.many
      ? h('input', { type: 'number', min: 0, max: header.joints.length - 1, step: 1, placeholder: `0 to ${header.joints.length - 1}`, 'aria-label': 'Joint by number' })
      : h('select', { 'aria-label': 'Joint' }, h('option', { value: '-1' }, 'No joint selected'), ...header.joints.map((joint, j) => h('option', { value: j }, this.words(joint, j))));
    this.select.addEventListener('change', () => this.choose(this.select.value === '' ? -1 : Number(this.select.value)));
    this.element = h('section', { class: 'card joints', hidden: !header.joints.length }, h('header', {}, h('h3', {}, 'Joints'), h('span', { class: 'unit' }, number(header.joints.length))),
      h('div', { class: 'row' }, this.select), this.table,
      h('p', { class: 'hint' }, stage.joints.count ? 'Click a joint in the view, or choose one here.' : 'This run does not say where its joints are: they are not drawn.'));
    this.table.hidden = true;
  }

  private words(joint: Joint, j: number): string {
    return [joint.name || `joint ${j}`, joint.sides ? `${joint.kind}, ${this.between(joint)}` : joint.kind].join(': ');
  }
  private between(joint: Joint): string {
    return joint.sides!.map((s) => memberName(this.header, s.body, s.member)).join(' – ');
  }
  choose(j: number): void {
    const joint = this.header.joints[j];
    this.joint = joint ? j : -1;
    this.select.value = this.many && !joint ? '' : String(this.joint);
    this.stage.chooseJoint(this.joint);
    this.table.hidden = !joint;
    this.cells.clear();
    put(this.facts);
    this.update();
    // below a long list of contacts it would not be seen
    const panel = this.element.closest('.panel');
    if (joint && panel) panel.scrollTop = Math.max(0, this.element.offsetTop - (panel as HTMLElement).offsetTop - 10);
  }
  /** A frame is shown: numbers anew. */
  update(): void {
    this.coordinates.begin();
    const joint = this.header.joints[this.joint];
    if (!joint) return;
    this.set('Name', joint.name || `joint ${this.joint}`);
    this.set('Kind', [joint.kind, joint.actuator, joint.spring && 'spring', joint.damper && 'damper', joint.stops && 'stops'].filter(Boolean).join(', '));
    if (!joint.sides) return;
    joint.sides.forEach((side, s) => {
      const cell = this.cell(s ? 'Second body' : 'First body');
      if (cell.firstChild) return;
      const name = memberName(this.header, side.body, side.member) + (side.point >= 0 ? `, point ${number(side.point)}` : '');
      cell.append(side.body < 0 ? name : h('button', { type: 'button', class: 'small', onclick: () => this.chooseBody(side.body, side.member) }, name));
    });
    const broken = typeof joint.broken === 'number' ? joint.broken : null;
    if (broken !== null) this.set('Broken', `at ${quantity(broken, 's')}`);
    const there = this.stage.joints.isThere(this.joint) && this.player.frame.value >= 0;
    for (const { name, value, unit } of this.coordinates.of(this.joint)) this.set(name, !there ? '–' : unit === 'm' ? quantity(Math.abs(value) < 1e-7 * this.stage.size ? 0 : value, 'm') : `${number(Math.abs(value) < 1e-3 ? 0 : value, 4)}°`);
  }
  private cell(key: string): HTMLElement {
    let cell = this.cells.get(key);
    if (!cell) {
      cell = h('td', {});
      this.cells.set(key, cell);
      this.facts.append(h('tr', {}, h('th', { scope: 'row' }, key), cell));
    }
    return cell;
  }
  private set(key: string, value: string): void {
    text(this.cell(key), value);
  }
}
