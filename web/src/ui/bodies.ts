// The body that was clicked, in numbers: place, speed, forces on it; follow it.
import { Vector3 } from 'three';
import { h, put, text } from '../base/dom';
import { memberName } from '../base/names';
import { number, quantity, scaleFor } from '../base/units';
import type { Header } from '../data/header';
import { Record, Status } from '../data/record';
import type { Player } from '../player';
import type { Hit } from '../scene/pick';
import type { Stage } from '../scene/stage';
import { STATUS_COLOURS, STATUS_NAMES } from '../scene/palette';

const MOST_NAMES = 500; // in a list

/** Three numbers with one prefix; what is nothing beside the largest is 0. */
function vector(x: number[], unit: string): string {
  const most = Math.max(...x.map(Math.abs));
  const s = scaleFor(most, unit);
  return `(${x.map((v) => number(Math.abs(v) < 1e-6 * most ? 0 : v * s.factor, 4)).join(', ')})\u00a0${s.unit}`;
}

export class BodyPanel {
  readonly element = h('div', { class: 'bodies' });
  body = -1;
  member = 0;
  following = false;
  private hit: Hit | null = null;
  private readonly facts = h('tbody', {});
  private readonly cells = new Map<string, HTMLElement>();
  private readonly contactRows = h('tbody', {});
  private readonly contactCount = h('span', { class: 'unit' });
  private readonly select: HTMLSelectElement;
  private readonly memberInput: HTMLInputElement;
  private readonly memberLabel: HTMLElement;
  /** In place of the number where members have names, and not too many. */
  private readonly memberSelect: HTMLSelectElement;
  private listed = -1;
  private readonly follow: HTMLButtonElement;
  private readonly card: HTMLElement;
  private readonly contactCard: HTMLElement;
  private readonly hint: HTMLElement;
  private readonly other: Record;
  private readonly last = new Vector3();

  constructor(private readonly header: Header, private readonly player: Player, private readonly stage: Stage | null) {
    this.other = new Record(header);
    this.select = h('select', { 'aria-label': 'Body' }, h('option', { value: '-1' }, 'No body selected'),
      ...header.bodies.map((b, i) => h('option', { value: i }, b.members > 1 ? `${b.name} (${number(b.members)})` : b.name)));
    this.select.addEventListener('change', () => this.choose(Number(this.select.value), 0, null));
    this.memberInput = h('input', { type: 'number', min: 0, step: 1, value: 0, 'aria-label': 'Member' });
    this.memberInput.addEventListener('change', () => this.choose(this.body, Number(this.memberInput.value), null));
    this.memberLabel = h('label', { class: 'inline' }, 'Member', this.memberInput);
    this.memberSelect = h('select', { class: 'members', 'aria-label': 'Member by name' });
    this.memberSelect.addEventListener('change', () => this.choose(this.body, Number(this.memberSelect.value), null));
    this.follow = h('button', { type: 'button', 'aria-pressed': 'false', onclick: () => this.setFollow(!this.following) }, 'Follow');
    const clear = h('button', { type: 'button', onclick: () => this.choose(-1, 0, null) }, 'Clear');
    this.card = h('section', { class: 'card' }, h('table', { class: 'facts' }, this.facts), h('div', { class: 'buttons' }, this.follow, clear));
    this.contactCard = h('section', { class: 'card' }, h('header', {}, h('h3', {}, 'Contacts on it'), this.contactCount),
      h('div', { class: 'scroll' }, h('table', { class: 'list' },
        h('thead', {}, h('tr', {}, h('th', {}, 'with'), h('th', {}, 'force'), h('th', {}, 'gap'), h('th', {}, 'status'))), this.contactRows)));
    this.hint = h('p', { class: 'empty' }, stage ? 'Click a body in the view, or choose one here.' : 'Choose a body.');
    put(this.element, h('div', { class: 'row' }, this.select, this.memberSelect, this.memberLabel), this.hint, this.card, this.contactCard);
    this.choose(-1, 0, null);
  }

  choose(body: number, member: number, hit: Hit | null): void {
    const spec = this.header.bodies[body];
    this.body = spec ? body : -1;
    this.member = spec ? Math.max(0, Math.min(Math.max(1, spec.members) - 1, Math.round(member) || 0)) : 0;
    this.hit = hit;
    this.select.value = String(this.body);
    this.memberInput.value = String(this.member);
    this.memberInput.max = String((spec?.members ?? 1) - 1);
    const named = !!spec && spec.members > 1 && spec.members <= MOST_NAMES && spec.names.some(Boolean);
    this.memberLabel.hidden = !spec || spec.members <= 1 || named;
    this.memberSelect.hidden = !named;
    if (named && this.listed !== this.body) {
      this.listed = this.body;
      put(this.memberSelect, ...Array.from({ length: spec.members }, (_, m) => h('option', { value: m }, this.nameOf(this.body, m))));
    }
    this.memberSelect.value = String(this.member);
    this.card.hidden = this.contactCard.hidden = !spec;
    this.hint.hidden = !!spec;
    this.follow.hidden = !this.stage || !this.place(this.player.record.tracks, new Vector3());
    if (!spec) this.setFollow(false);
    this.cells.clear();
    put(this.facts);
    this.stage?.highlight(this.body, this.member);
    if (this.following && !this.place(this.player.record.tracks, this.last)) this.setFollow(false);
    this.update();
  }
  setFollow(on: boolean): void {
    this.following = on && this.body >= 0 && !!this.place(this.player.record.tracks, this.last);
    this.follow.setAttribute('aria-pressed', String(this.following));
  }
  /** The frame changed: takes the camera along. */
  carry(): void {
    if (!this.following || !this.stage) return;
    const now = new Vector3();
    if (!this.place(this.player.record.tracks, now)) return;
    this.stage.camera.follow(now.clone().sub(this.last));
    this.last.copy(now);
  }
  get name(): string {
    return this.nameOf(this.body, this.member);
  }

  private nameOf(body: number, member: number): string {
    return memberName(this.header, body, member);
  }
  private place(tracks: Float32Array[], out: Vector3): boolean {
    const pose = this.header.poses.find((p) => p.body === this.body);
    const affine = this.header.affine.find((p) => p.body === this.body);
    const track = pose ? pose.position : affine ? affine.centre : -1;
    if (track < 0) return false;
    out.fromArray(tracks[track]!, 3 * this.member);
    return true;
  }
  private node(tracks: Float32Array[], out: Vector3): boolean {
    const spec = this.header.meshes.find((m) => m.body === this.body) ?? this.header.lines.find((l) => l.body === this.body);
    if (!spec || !this.hit || this.hit.node < 0) return false;
    out.fromArray(tracks[spec.displacement]!, 3 * this.hit.node);
    return true;
  }
  private set(key: string, value: string): void {
    let cell = this.cells.get(key);
    if (!cell) {
      cell = h('td', {});
      this.cells.set(key, cell);
      this.facts.append(h('tr', {}, h('th', { scope: 'row' }, key), cell));
    }
    text(cell, value);
  }

  update(): void {
    const spec = this.header.bodies[this.body];
    if (!spec || this.element.offsetParent === null) return;
    const tracks = this.player.record.tracks;
    const now = new Vector3(), before = new Vector3();
    this.set('Name', this.name);
    this.set('Kind', spec.kind);
    this.set('Scheme', spec.scheme);
    const k = this.player.frame.value;
    const frames = this.player.frames;
    // backward difference; at the first frame forward
    const j = k > 0 ? k - 1 : k + 1;
    const slot = frames.get(j);
    const dt = Math.abs((frames.time[k] ?? 0) - (frames.time[j] ?? 0));
    if (slot) this.other.decode(slot, false);
    if (this.place(tracks, now)) {
      this.set('Place', vector(now.toArray(), 'm'));
      if (slot && dt > 0 && this.place(this.other.tracks, before))
        this.set('Speed between frames', quantity(now.distanceTo(before) / dt, 'm/s'));
      const pose = this.header.poses.find((p) => p.body === this.body);
      if (pose && pose.rotation !== null) {
        const w = Math.min(1, Math.abs(tracks[pose.rotation]![4 * this.member]!));
        this.set('Turned by', `${number((2 * Math.acos(w) * 180) / Math.PI, 4)}°`);
      }
      const affine = this.header.affine.find((p) => p.body === this.body);
      if (affine) {
        const F = tracks[affine.deformation]!.subarray(9 * this.member, 9 * this.member + 9);
        const [a, b, c, d, e, f, g, i, m] = F as unknown as number[];
        this.set('det F', number(a! * (e! * m! - f! * i!) - b! * (d! * m! - f! * g!) + c! * (d! * i! - e! * g!), 6));
      }
    } else if (this.node(tracks, now)) {
      this.set('Point', String(this.hit!.node));
      this.set('Displacement there', `${quantity(now.length(), 'm')}  ${vector(now.toArray(), 'm')}`);
      if (slot && dt > 0 && this.node(this.other.tracks, before)) this.set('Speed there between frames', quantity(now.distanceTo(before) / dt, 'm/s'));
      const mesh = this.header.meshes.find((m) => m.body === this.body);
      for (const field of mesh?.fields ?? []) this.set(`${field.name} there`, quantity(tracks[field.track]![this.hit!.node]!, field.unit));
    }
    else this.whole(tracks);
    this.contacts();
  }

  /** Of a mesh or line of which no point was clicked: its largest displacement. */
  private whole(tracks: Float32Array[]): void {
    const spec = this.header.meshes.find((m) => m.body === this.body) ?? this.header.lines.find((l) => l.body === this.body);
    if (!spec) return;
    const u = tracks[spec.displacement]!;
    let most = 0;
    for (let i = 0; i + 2 < u.length; i += 3) most = Math.max(most, u[i]! * u[i]! + u[i + 1]! * u[i + 1]! + u[i + 2]! * u[i + 2]!);
    this.set('Points', number(u.length / 3));
    this.set('Largest displacement', quantity(Math.sqrt(most), 'm'));
    this.set('One point', 'click it in the view');
  }

  private contacts(): void {
    const contacts = this.player.record.contacts;
    const rows: HTMLElement[] = [];
    const sum = new Vector3(), f = new Vector3();
    let count = 0;
    for (let i = 0; i < contacts.count; i++) {
      const [a, ma, b, mb] = contacts.who.subarray(4 * i, 4 * i + 4) as unknown as [number, number, number, number];
      const isA = a === this.body && (ma & 0xffff) === (this.member & 0xffff);
      const isB = b === this.body && (mb & 0xffff) === (this.member & 0xffff);
      if (!isA && !isB) continue;
      count++;
      f.fromArray(contacts.force, 3 * i);
      sum.addScaledVector(f, isA ? 1 : -1);
      if (rows.length >= 12) continue;
      const status = contacts.status[i]! as Status;
      rows.push(h('tr', {}, h('td', {}, isA ? this.nameOf(b, mb & 0xffff) : this.nameOf(a, ma & 0xffff)), h('td', {}, quantity(f.length(), 'N')),
        h('td', {}, quantity(contacts.gap[i]!, 'm', 3)),
        h('td', {}, h('i', { class: 'swatch', style: `background:${STATUS_COLOURS[status]}` }), STATUS_NAMES[status] ?? '')));
    }
    text(this.contactCount, count ? `${number(count)}, resultant ${quantity(sum.length(), 'N')}` : '');
    if (count) put(this.contactRows, ...rows, count > rows.length ? h('tr', {}, h('td', { colspan: 4 }, `and ${count - rows.length} more`)) : null);
    else put(this.contactRows, h('tr', {}, h('td', { colspan: 4, class: 'empty' }, 'None in this frame.')));
  }
}
