// The present coordinates of a joint from where its sides are: of the second side relative to the first.
import type { Joint } from '../data/header';
import type { Anchors } from './anchors';

export interface Coordinate {
  name: string;
  value: number;
  unit: 'm' | '°';
}

type Vec = [number, number, number];
const dot = (a: Vec, b: Vec): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vec, b: Vec): Vec => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const degrees = (x: number): number => (x * 180) / Math.PI;

export class Coordinates {
  /** Angles where the scene gives no second axis: counted from the first frame that was seen. */
  private readonly zero: Float64Array;
  constructor(private readonly joints: Joint[], private readonly anchors: Anchors) {
    this.zero = new Float64Array(joints.length).fill(NaN);
  }

  private three(list: Float32Array, j: number, side: number): Vec {
    const at = 6 * j + 3 * side;
    return [list[at]!, list[at + 1]!, list[at + 2]!];
  }
  /** From the second axis of the first side to that of the second, about the first axis. */
  private angle(j: number): number {
    const { axis, axis2 } = this.anchors;
    const z = this.three(axis, j, 0), a = this.three(axis2, j, 0), b = this.three(axis2, j, 1);
    return Math.atan2(dot(z, cross(a, b)), dot(a, b));
  }
  /** Notes the zeros: at the first frame. */
  begin(): void {
    for (let j = 0; j < this.zero.length; j++)
      if (Number.isNaN(this.zero[j]!) && this.anchors.known[j]) this.zero[j] = (this.anchors.given[j]! & 10) === 10 ? 0 : this.angle(j);
  }

  of(j: number): Coordinate[] {
    const joint = this.joints[j];
    if (!joint || !this.anchors.known[j]) return [];
    const { place, axis, axis2 } = this.anchors;
    const a = this.three(place, j, 0), b = this.three(place, j, 1);
    const d: Vec = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    const z = this.three(axis, j, 0), x = this.three(axis2, j, 0);
    const exact = (this.anchors.given[j]! & 10) === 10;
    const turned = (): Coordinate => {
      const full = this.angle(j) - (this.zero[j] || 0);
      return { name: exact ? 'Angle' : 'Turned since the first frame', value: degrees(Math.atan2(Math.sin(full), Math.cos(full))), unit: '°' };
    };
    const moved = (name: string, way: Vec): Coordinate => ({ name, value: dot(d, way), unit: 'm' });
    switch (joint.kind) {
      case 'revolute': return [turned()];
      case 'prismatic': return [moved('Displacement', z)];
      case 'cylindrical': return [moved('Displacement', z), turned()];
      case 'planar': return [moved('Displacement', x), moved('Across it', cross(z, x)), turned()];
      case 'along': return [moved('Along the axis', z)];
      case 'distance': case 'line': return [{ name: 'Length', value: Math.hypot(...d), unit: 'm' }];
      case 'universal': case 'ball': {
        const given = this.anchors.given[j]!;
        if (joint.kind === 'ball' && (given & 5) !== 5) return [];
        // a universal joint has its second axis on the second body
        const other = this.three(joint.kind === 'universal' && given & 8 ? axis2 : axis, j, 1);
        const between = degrees(Math.atan2(Math.hypot(...cross(z, other)), dot(z, other)));
        return joint.kind === 'ball' ? [{ name: 'Swing', value: between, unit: '°' }, this.twist(j, exact)] : [{ name: 'Between its axes', value: between, unit: '°' }];
      }
      default: return [];
    }
  }
  /** About the axis, after the second side is swung back by the shortest way. */
  private twist(j: number, exact: boolean): Coordinate {
    const { axis, axis2 } = this.anchors;
    const z = this.three(axis, j, 0), w = this.three(axis, j, 1), x = this.three(axis2, j, 0), b = this.three(axis2, j, 1);
    const n = cross(w, z), c = dot(w, z);
    const k = 1 / Math.max(1 + c, 1e-9);
    const nb = cross(n, b), nnb = cross(n, nb);
    const back: Vec = [b[0] + nb[0] + k * nnb[0], b[1] + nb[1] + k * nnb[1], b[2] + nb[2] + k * nnb[2]];
    return { name: exact ? 'Twist' : 'Twist, with a zero chosen here', value: degrees(Math.atan2(dot(z, cross(x, back)), dot(x, back))), unit: '°' };
  }
}
