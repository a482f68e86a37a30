// Where the two sides of each joint are in space at this frame: places and two perpendicular axes a side.
import type { Header, JointSide } from '../data/header';
import type { Lines } from './lines';
import type { Surfaces } from './surfaces';

/** How a side moves, and what it has in the frame of its member. */
interface Side {
  at: number; // index of its first number in the arrays
  position: Float32Array | null; // null: the world
  rotation: Float32Array | null;
  deformation: Float32Array | null;
  member: number;
  point: number; // of a mesh or line; then position are its points
  place: number[];
  axis: number[];
  axis2: number[];
}

const length = (v: number[]): number => Math.hypot(v[0]!, v[1]!, v[2]!);
const cross = (a: number[], b: number[]): number[] => [a[1]! * b[2]! - a[2]! * b[1]!, a[2]! * b[0]! - a[0]! * b[2]!, a[0]! * b[1]! - a[1]! * b[0]!];
const unit = (v: number[]): number[] => v.map((x) => x / (length(v) || 1));

/** Any direction across v, always the same one. */
function across(v: number[]): number[] {
  return unit(cross(v, Math.abs(v[2]!) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
}

export class Anchors {
  /** Six numbers a joint: those of its first side, then those of its second. */
  readonly place: Float32Array;
  readonly axis: Float32Array;
  readonly axis2: Float32Array;
  /** 1 where both sides can be placed. */
  readonly known: Uint8Array;
  /** Bits a joint: which axes are the scene's, not chosen here (1 axis, 2 axis2 of the first side; 4, 8 of the second). */
  readonly given: Uint8Array;
  private readonly sides: Side[] = [];

  constructor(header: Header, private readonly tracks: Float32Array[], private readonly surfaces: Surfaces, private readonly lines: Lines) {
    const n = header.joints.length;
    this.place = new Float32Array(6 * n);
    this.axis = new Float32Array(6 * n);
    this.axis2 = new Float32Array(6 * n);
    this.known = new Uint8Array(n);
    this.given = new Uint8Array(n);
    header.joints.forEach((joint, j) => {
      const sides = joint.sides?.map((side, s) => this.side(header, side, 6 * j + 3 * s)) ?? [];
      if (sides.length !== 2 || sides.some((s) => !s)) return;
      this.known[j] = 1;
      joint.sides!.forEach((side, s) => {
        if (length(side.axis) > 0) this.given[j]! |= 1 << (2 * s);
        if (length(side.axis2) > 0) this.given[j]! |= 2 << (2 * s);
      });
      this.sides.push(...(sides as Side[]));
    });
  }

  private side(header: Header, spec: JointSide, at: number): Side | null {
    // axes that the joint does not have are chosen in the frame of the member, so that marks turn with it
    const has = length(spec.axis) > 0, has2 = length(spec.axis2) > 0;
    const axis = has ? unit(spec.axis) : has2 ? across(unit(spec.axis2)) : [0, 0, 1];
    let axis2 = has2 ? spec.axis2 : across(axis);
    const along = axis2[0]! * axis[0]! + axis2[1]! * axis[1]! + axis2[2]! * axis[2]!;
    axis2 = axis2.map((x, c) => x - along * axis[c]!);
    axis2 = length(axis2) > 1e-6 ? unit(axis2) : across(axis);
    const side: Side = { at, position: null, rotation: null, deformation: null, member: spec.member, point: -1, place: spec.place, axis, axis2 };
    if (spec.body < 0) return side;
    const pose = header.poses.find((p) => p.body === spec.body);
    const affine = header.affine.find((p) => p.body === spec.body);
    if (pose) {
      side.position = this.tracks[pose.position]!;
      side.rotation = pose.rotation === null ? null : this.tracks[pose.rotation]!;
    } else if (affine) {
      side.position = this.tracks[affine.centre]!;
      side.deformation = this.tracks[affine.deformation]!;
    } else {
      const drawn = this.surfaces.surfaces.find((s) => s.spec.body === spec.body) ?? this.lines.lines.find((l) => l.spec.body === spec.body);
      if (!drawn || spec.point < 0 || 3 * spec.point + 2 >= drawn.position.length) return null;
      side.position = drawn.position; // written in place, with exaggerated displacements
      side.point = spec.point;
    }
    return side;
  }

  update(): void {
    const { place, axis, axis2 } = this;
    for (const side of this.sides) {
      const { at, position, rotation, deformation, member: m, place: p } = side;
      if (!position || side.point >= 0) {
        for (let c = 0; c < 3; c++) {
          place[at + c] = position ? position[3 * side.point + c]! : p[c]!;
          axis[at + c] = side.axis[c]!;
          axis2[at + c] = side.axis2[c]!;
        }
        continue;
      }
      if (deformation) {
        stretched(deformation, 9 * m, p, place, at);
        stretched(deformation, 9 * m, side.axis, axis, at);
        stretched(deformation, 9 * m, side.axis2, axis2, at);
        normalise(axis, axis2, at);
      } else {
        turned(rotation, 4 * m, p, place, at);
        turned(rotation, 4 * m, side.axis, axis, at);
        turned(rotation, 4 * m, side.axis2, axis2, at);
      }
      for (let c = 0; c < 3; c++) place[at + c] = place[at + c]! + position[3 * m + c]!;
    }
  }
}

/** v turned by a quaternion w x y z. */
function turned(q: Float32Array | null, i: number, v: number[], out: Float32Array, at: number): void {
  const vx = v[0]!, vy = v[1]!, vz = v[2]!;
  const w = q ? q[i]! : 1, x = q ? q[i + 1]! : 0, y = q ? q[i + 2]! : 0, z = q ? q[i + 3]! : 0;
  const tx = 2 * (y * vz - z * vy), ty = 2 * (z * vx - x * vz), tz = 2 * (x * vy - y * vx);
  out[at] = vx + w * tx + y * tz - z * ty;
  out[at + 1] = vy + w * ty + z * tx - x * tz;
  out[at + 2] = vz + w * tz + x * ty - y * tx;
}

/** v stretched by a matrix stored row by row. */
function stretched(F: Float32Array, i: number, v: number[], out: Float32Array, at: number): void {
  for (let r = 0; r < 3; r++) out[at + r] = F[i + 3 * r]! * v[0]! + F[i + 3 * r + 1]! * v[1]! + F[i + 3 * r + 2]! * v[2]!;
}

/** Makes two axes perpendicular and of length 1 again. */
function normalise(a: Float32Array, b: Float32Array, at: number): void {
  const la = Math.sqrt(a[at]! ** 2 + a[at + 1]! ** 2 + a[at + 2]! ** 2) || 1;
  for (let c = at; c < at + 3; c++) a[c] = a[c]! / la;
  const along = a[at]! * b[at]! + a[at + 1]! * b[at + 1]! + a[at + 2]! * b[at + 2]!;
  for (let c = at; c < at + 3; c++) b[c] = b[c]! - along * a[c]!;
  const lb = Math.sqrt(b[at]! ** 2 + b[at + 1]! ** 2 + b[at + 2]! ** 2) || 1;
  for (let c = at; c < at + 3; c++) b[c] = b[c]! / lb;
}
