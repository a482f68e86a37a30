// Joints as marks that are seen through bodies. Buffers are made once; a frame writes four frames of reference a joint.
import { Mesh, type Object3D, type ShaderMaterial, type Vector3 } from 'three';
import type { Header, Joint } from '../data/header';
import { Anchors } from './anchors';
import { FIRST, FRAMES, markOf, RAIL, SECOND, SPAN } from './joint_marks';
import { jointMaterial, type Pass } from './joint_material';
import type { Lines } from './lines';
import { SELECTED, type Theme } from './palette';
import type { Solids } from './solids';
import type { Surfaces } from './surfaces';
import { copies, FloatTexture } from './texture';

const FINE = 600, MANY = 2000; // more joints than that have plainer marks in fewer passes
const SHARE = 0.036; // size of a mark by that of the scene
const NEAR = [5, 11]; // pixels: as near as that is a click on a joint, by the size of its mark

export class Joints {
  readonly anchors: Anchors;
  /** Drawn in this frame. */
  drawn = 0;
  chosen = -1;
  /** Moment that is shown: joints break. */
  moment = -Infinity;
  private visible = true;
  private placed = false;
  private readonly list: Joint[];
  private readonly sizes: Float32Array;
  private readonly rows: FloatTexture;
  private readonly meshes: Mesh[] = [];
  private readonly materials: ShaderMaterial[] = [];

  constructor(header: Header, private readonly solids: Solids, surfaces: Surfaces, lines: Lines, tracks: Float32Array[], root: Object3D, private readonly size: number) {
    this.list = header.joints;
    this.anchors = new Anchors(header, tracks, surfaces, lines);
    const n = this.list.length;
    this.sizes = new Float32Array(n).fill(SHARE * size);
    this.rows = new FloatTexture(4 * FRAMES * n);
    const { known, given } = this.anchors;
    const segments = this.list.flatMap((joint, j) => !known[j] ? [] : markOf(joint, {
      first: (given[j]! & 1) > 0, second: (given[j]! & 4) > 0, crossSecond: (given[j]! & 8) > 0,
    }, n <= FINE ? 20 : n <= MANY ? 8 : 5).map((segment) => ({ ...segment, joint: j })));
    if (!segments.length) return;
    const spec = new FloatTexture(2 * segments.length);
    segments.forEach(({ a, b, frame, colour, width, joint }, i) => spec.array.set([...a, FRAMES * joint + frame, ...b, 16 * colour + width], 8 * i));
    const geometry = copies([0, 1, 2, 0, 2, 3], 4, segments.length);
    ((n <= FINE ? ['ghost halo', 'ghost', 'halo', 'mark'] : n <= MANY ? ['ghost', 'mark'] : ['through']) as Pass[]).forEach((pass, i) => {
      const material = jointMaterial(this.rows.texture, spec.texture, pass);
      const mesh = new Mesh(geometry, material);
      mesh.frustumCulled = false;
      mesh.matrixAutoUpdate = false;
      mesh.renderOrder = 2.2 + 0.1 * i;
      root.add(mesh);
      this.meshes.push(mesh);
      this.materials.push(material);
    });
  }

  /** Joints that can be drawn at all. */
  get count(): number {
    return this.anchors.known.reduce((n, k) => n + k, 0);
  }
  get shown(): boolean {
    return this.visible && this.meshes.length > 0;
  }
  isThere(j: number): boolean {
    const broken = this.list[j]?.broken;
    return !!this.anchors.known[j] && !(typeof broken === 'number' && this.moment >= broken);
  }
  show(on: boolean): void {
    this.visible = on;
    for (const mesh of this.meshes) mesh.visible = on;
  }
  choose(j: number): void {
    this.chosen = j;
    this.write();
  }

  /** A share of the scene, but not as large as the way to the next joint or the bodies allow. Known once a frame is. */
  private measure(): void {
    const { place, known } = this.anchors;
    const reach = new Map<string, number>();
    this.solids.bounds((_x, _y, _z, r, _moves, body, member) => reach.set(`${body} ${member}`, Math.max(r, reach.get(`${body} ${member}`) ?? 0)));
    const most = SHARE * this.size, same = (0.02 * most) ** 2, far = most / 0.36;
    const n = this.list.length;
    const least = new Float32Array(n).fill(Infinity); // squares of distances
    // the ends of links and springs are only dots
    const takes = [...this.list.keys()].filter((j) => known[j] && this.list[j]!.kind !== 'line' && this.list[j]!.kind !== 'distance');
    takes.sort((i, k) => place[6 * i]! - place[6 * k]!);
    for (let a = 0; a < takes.length; a++)
      for (let b = a + 1; b < takes.length; b++) {
        const i = takes[a]!, k = takes[b]!;
        const x = place[6 * k]! - place[6 * i]!, y = place[6 * k + 1]! - place[6 * i + 1]!, z = place[6 * k + 2]! - place[6 * i + 2]!;
        if (x > far) break;
        const d = x * x + y * y + z * z;
        if (d < same) continue; // at one place they overlap at any size
        if (d < least[i]!) least[i] = d;
        if (d < least[k]!) least[k] = d;
      }
    this.list.forEach((joint, j) => {
      let size = Math.min(most, 0.36 * Math.sqrt(least[j]!));
      for (const side of joint.sides ?? []) size = Math.min(size, 1.1 * (reach.get(`${side.body} ${side.member}`) ?? Infinity));
      if (joint.kind === 'line') size = Math.min(size, 0.2 * Math.max(this.span(j), 0.02 * most) + 0.02 * most);
      this.sizes[j] = Math.max(size, 0.03 * most);
    });
  }
  private span(j: number): number {
    const p = this.anchors.place;
    return Math.hypot(p[6 * j + 3]! - p[6 * j]!, p[6 * j + 4]! - p[6 * j + 1]!, p[6 * j + 5]! - p[6 * j + 2]!);
  }

  update(): void {
    if (!this.meshes.length) return;
    this.anchors.update();
    if (!this.placed) {
      this.placed = true;
      this.measure();
    }
    this.write();
  }

  private write(): void {
    const { place, axis, axis2 } = this.anchors;
    const out = this.rows.array;
    this.drawn = 0;
    for (let j = 0; j < this.list.length; j++) {
      const there = this.isThere(j);
      if (there) this.drawn++;
      const state = there ? (j === this.chosen ? 2 : 1) : 0;
      for (let f = 0; f < FRAMES; f++) out[16 * (FRAMES * j + f) + 15] = state;
      if (!there) continue;
      const at = 6 * j, s = this.sizes[j]!;
      const base = 16 * FRAMES * j;
      frame(out, base + 16 * FIRST, place, at, axis, axis2, at, s);
      // a slider does not turn: it is drawn as the rail is
      frame(out, base + 16 * SECOND, place, at + 3, axis, axis2, this.list[j]!.kind === 'prismatic' ? at : at + 3, s);
      // from place to place; across, what is across the axes of the first side
      let x = place[at + 3]! - place[at]!, y = place[at + 4]! - place[at + 1]!, z = place[at + 5]! - place[at + 2]!;
      spanFrame(out, base + 16 * SPAN, place[at]!, place[at + 1]!, place[at + 2]!, x, y, z, axis, axis2, at, s);
      const d = x * axis[at]! + y * axis[at + 1]! + z * axis[at + 2]!;
      const back = Math.min(0, d) - 1.4 * s, long = Math.abs(d) + 2.8 * s;
      x = axis[at]!; y = axis[at + 1]!; z = axis[at + 2]!;
      spanFrame(out, base + 16 * RAIL, place[at]! + back * x, place[at + 1]! + back * y, place[at + 2]! + back * z, long * x, long * y, long * z, axis, axis2, at, s);
    }
    this.rows.touch();
  }

  /** The joint under a pixel, -1 without; `project` maps a place to pixels, z > 1 behind the viewer; `pixel`: length of one. */
  pick(px: number, py: number, at: Vector3, pixel: number, project: (v: Vector3) => Vector3): number {
    let best = -1, least = Infinity;
    const { place } = this.anchors;
    for (let j = 0; this.shown && j < this.list.length; j++) {
      if (!this.isThere(j)) continue;
      project(at.fromArray(place, 6 * j));
      const ax = at.x, ay = at.y, behind = at.z > 1;
      project(at.fromArray(place, 6 * j + 3));
      if (behind || at.z > 1) continue;
      const dx = at.x - ax, dy = at.y - ay;
      const share = Math.max(0, Math.min(1, ((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy || 1)));
      const off = Math.hypot(px - ax - share * dx, py - ay - share * dy);
      if (off < least && off < Math.max(NEAR[0]!, Math.min(NEAR[1]!, (0.6 * this.sizes[j]!) / pixel))) {
        least = off;
        best = j;
      }
    }
    return best;
  }

  resize(width: number, height: number): void {
    for (const { uniforms } of this.materials) uniforms.screen!.value.set(width, height);
  }
  colour(theme: Theme): void {
    for (const { uniforms } of this.materials) {
      theme.joints.forEach((hex, i) => uniforms.colours!.value[i].setHex(hex));
      uniforms.chosen!.value.setHex(SELECTED);
      uniforms.back!.value.setHex(theme.background);
    }
  }
}

/** Axes of a side as columns of length s, and its place. */
function frame(out: Float32Array, to: number, place: Float32Array, p: number, axis: Float32Array, axis2: Float32Array, a: number, s: number): void {
  const zx = axis[a]!, zy = axis[a + 1]!, zz = axis[a + 2]!;
  const xx = axis2[a]!, xy = axis2[a + 1]!, xz = axis2[a + 2]!;
  out[to] = s * xx; out[to + 1] = s * xy; out[to + 2] = s * xz; out[to + 3] = s;
  out[to + 4] = s * (zy * xz - zz * xy); out[to + 5] = s * (zz * xx - zx * xz); out[to + 6] = s * (zx * xy - zy * xx);
  out[to + 8] = s * zx; out[to + 9] = s * zy; out[to + 10] = s * zz;
  for (let c = 0; c < 3; c++) out[to + 12 + c] = place[p + c]!;
}

/** x from a place along (x, y, z), whole; y and z across it, of length s. */
function spanFrame(out: Float32Array, to: number, px: number, py: number, pz: number, x: number, y: number, z: number, axis: Float32Array, axis2: Float32Array, a: number, s: number): void {
  const long = Math.sqrt(x * x + y * y + z * z) || 1;
  const ux = x / long, uy = y / long, uz = z / long;
  // axis2 unless it points along the way
  const near = Math.abs(ux * axis2[a]! + uy * axis2[a + 1]! + uz * axis2[a + 2]!) > 0.9 ? axis : axis2;
  const along = ux * near[a]! + uy * near[a + 1]! + uz * near[a + 2]!;
  let ex = near[a]! - along * ux, ey = near[a + 1]! - along * uy, ez = near[a + 2]! - along * uz;
  const l = s / (Math.sqrt(ex * ex + ey * ey + ez * ez) || 1);
  ex *= l; ey *= l; ez *= l;
  out[to] = x; out[to + 1] = y; out[to + 2] = z; out[to + 3] = s;
  out[to + 4] = ex; out[to + 5] = ey; out[to + 6] = ez;
  out[to + 8] = uy * ez - uz * ey; out[to + 9] = uz * ex - ux * ez; out[to + 10] = ux * ey - uy * ex;
  out[to + 12] = px; out[to + 13] = py; out[to + 14] = pz;
}
