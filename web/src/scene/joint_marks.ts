// What each kind of joint looks like, as line segments in frames that follow the joint: SIZE is 1 in all of them.
import type { Joint } from '../data/header';

/** Frames of a joint: its two sides (z: the axis), from one place to the other (x from 0 to 1), and a rail along the axis. */
export const FIRST = 0, SECOND = 1, SPAN = 2, RAIL = 3;
export const FRAMES = 4;
/** Colours, by number in Theme.joints. */
const BODY = 0, OTHER = 1, DRIVE = 2, SPRING = 3, DAMPER = 4;

type Point = [number, number, number];
/** Both ends, the frame, the colour, the width in pixels. A segment without length is a dot. */
export interface Segment {
  a: Point;
  b: Point;
  frame: number;
  colour: number;
  width: number;
}

class Pen {
  readonly segments: Segment[] = [];
  /** `detail`: segments of a full circle. */
  constructor(private readonly detail: number) {}

  line(frame: number, colour: number, width: number, ...points: Point[]): void {
    for (let i = 0; i + 1 < points.length; i++) this.segments.push({ a: points[i]!, b: points[i + 1]!, frame, colour, width });
  }
  dot(frame: number, colour: number, width: number, at: Point): void {
    this.segments.push({ a: at, b: at, frame, colour, width });
  }
  /** An arc about z at height h from angle `from` on, in turns. */
  arc(frame: number, colour: number, width: number, radius: number, h = 0, from = 0, turns = 1, place: (x: number, y: number, z: number) => Point = (x, y, z) => [x, y, z]): void {
    const n = Math.max(3, Math.ceil(this.detail * turns));
    this.line(frame, colour, width, ...Array.from({ length: n + 1 }, (_, i): Point => {
      const angle = 2 * Math.PI * (from + (turns * i) / n);
      return place(radius * Math.cos(angle), radius * Math.sin(angle), h);
    }));
  }
  /** The head of an arc at angle `at`, forwards or backwards. */
  head(frame: number, colour: number, width: number, radius: number, h: number, at: number, sign: number): void {
    const tip = 2 * Math.PI * at, back = tip - sign * 0.42;
    const p = (r: number, angle: number): Point => [r * Math.cos(angle), r * Math.sin(angle), h];
    this.line(frame, colour, width, p(radius * 0.72, back), p(radius, tip), p(radius * 1.28, back));
  }
  square(frame: number, colour: number, width: number, half: number, h = 0): void {
    this.line(frame, colour, width, [-half, -half, h], [half, -half, h], [half, half, h], [-half, half, h], [-half, -half, h]);
  }
  /** A spring between two places: always the same number of turns, so that it is seen to stretch. */
  coil(radius: number, y: number): void {
    const turns = this.detail < 8 ? 4 : 8, steps = (this.detail > 8 ? 12 : 4) * turns, begin = 0.12, end = 0.88;
    const points: Point[] = [[0, y, 0], [begin, y, 0]];
    for (let i = 1; i < steps; i++) {
      const angle = (2 * Math.PI * turns * i) / steps;
      points.push([begin + ((end - begin) * i) / steps, y + radius * Math.sin(angle), radius * (1 - Math.cos(angle)) - radius]);
    }
    points.push([end, y, 0], [1, y, 0]);
    this.line(SPAN, SPRING, 2, ...points);
  }
  /** A dashpot between two places: rod and piston in an open cup. */
  dashpot(half: number, y: number): void {
    this.line(SPAN, DAMPER, 2, [0, y, 0], [0.34, y, 0]);
    this.line(SPAN, DAMPER, 2, [0.52, y, 0], [1, y, 0]);
    const ring = (x: number, r: number): void => this.arc(SPAN, DAMPER, 2, r, x, 0, 1, (a, b, h) => [h, y + a, b]);
    ring(0.34, half);
    ring(0.64, half);
    ring(0.52, 0.7 * half);
    for (const [a, b] of [[1, 0], [-1, 0], [0, 1], [0, -1]] as const) {
      this.line(SPAN, DAMPER, 2, [0.34, y + a * half, b * half], [0.64, y + a * half, b * half]);
      this.line(SPAN, DAMPER, 2, [0.52, y, 0], [0.52, y + 0.7 * a * half, 0.7 * b * half]);
    }
    this.line(SPAN, DAMPER, 2, [0.34, y - half, 0], [0.34, y + half, 0]);
  }
  /** What turns about the axis of the first side: bearing, hands of both sides, motor, spring, damper. */
  turning(joint: Joint, reach: number): void {
    this.line(FIRST, BODY, 2.6, [0, 0, -reach], [0, 0, reach]);
    this.arc(FIRST, BODY, 2.2, 0.36);
    this.line(FIRST, BODY, 2, [0.36, 0, 0], [0.66, 0, 0]);
    this.line(SECOND, OTHER, 2.4, [0, 0, 0], [0.66, 0, 0]);
    this.rotary(joint);
  }
  rotary({ actuator, spring, damper }: Joint): void {
    const h = 0.55, r = 0.62;
    if (actuator === 'drive') {
      this.arc(FIRST, DRIVE, 2.6, r, h);
      this.arc(FIRST, DRIVE, 2, 0.8 * r, h);
    } else if (actuator) {
      const both = actuator === 'servo';
      this.arc(FIRST, DRIVE, actuator === 'force' ? 1.8 : 2.8, r, h, both ? -0.36 : 0.05, both ? 0.72 : 0.8);
      this.head(FIRST, DRIVE, 2.4, r, h, both ? 0.36 : 0.85, 1);
      if (both) this.head(FIRST, DRIVE, 2.4, r, h, -0.36, -1);
      this.line(FIRST, DRIVE, 1.6, [0, 0, h], [both ? r : 0, 0, h]);
    }
    if (spring) {
      const n = this.detail > 8 ? 30 : 12;
      this.line(FIRST, SPRING, 2, ...Array.from({ length: n + 1 }, (_, i): Point => {
        const angle = (2 * Math.PI * 2.5 * i) / n, radius = 0.1 + (0.6 * i) / n;
        return [radius * Math.cos(angle), radius * Math.sin(angle), -0.55];
      }));
    }
    if (damper)
      for (const side of [0, 0.5]) {
        this.arc(FIRST, DAMPER, 2, 0.5, -0.85, side + 0.06, 0.38);
        this.line(FIRST, DAMPER, 2, [0, 0, -0.85], [side ? -0.34 : 0.34, 0, -0.85]);
      }
  }
  /** What slides along the axis: rail, slider, motor, spring, damper. */
  sliding({ actuator, spring, damper }: Joint): void {
    for (const y of [-0.2, 0.2]) this.line(RAIL, BODY, 2, [0, y, 0], [1, y, 0]);
    for (const x of [0, 1]) this.line(RAIL, BODY, 2.4, [x, -0.34, 0], [x, 0.34, 0]);
    for (const turn of [0, 1]) {
      const p = (r: number, z: number): Point => (turn ? [0, r, z] : [r, 0, z]);
      this.line(SECOND, OTHER, 2.4, p(0.36, 0.42), p(-0.36, 0.42), p(-0.36, -0.42), p(0.36, -0.42), p(0.36, 0.42));
    }
    this.dot(FIRST, BODY, 7, [0, 0, 0]);
    if (actuator)
      for (const sign of actuator === 'servo' || actuator === 'drive' ? [1, -1] : [1])
        for (const x of actuator === 'drive' ? [0, 1] : [0]) {
          const tip = sign * 1.25;
          this.line(SECOND, DRIVE, 2.8, [0, 0, sign * 0.42], [0, 0, tip]);
          this.line(SECOND, DRIVE, 2.4, x ? [0, -0.2, tip - sign * 0.3] : [-0.2, 0, tip - sign * 0.3], [0, 0, tip], x ? [0, 0.2, tip - sign * 0.3] : [0.2, 0, tip - sign * 0.3]);
        }
    if (spring) this.coil(0.24, 0.62);
    if (damper) this.dashpot(0.24, -0.62);
  }
}

export function markOf(joint: Joint, axes: { first: boolean; second: boolean; crossSecond: boolean }, detail: number): Segment[] {
  const pen = new Pen(detail);
  switch (joint.kind) {
    case 'revolute':
      pen.turning(joint, 1);
      break;
    case 'cylindrical':
      pen.turning(joint, 1.7);
      for (const z of [-1.7, -1.2, 1.2, 1.7]) pen.line(FIRST, BODY, 2, [-0.2, 0, z], [0.2, 0, z]);
      pen.arc(SECOND, OTHER, 2.2, 0.46);
      break;
    case 'prismatic':
      pen.sliding(joint);
      break;
    case 'ball':
      pen.dot(FIRST, BODY, 7, [0, 0, 0]);
      pen.arc(FIRST, BODY, 2, 0.42);
      if (detail >= 8) pen.arc(FIRST, BODY, 2, 0.42, 0, 0, 1, (x, y) => [x, 0, y]);
      if (detail >= 8) pen.arc(FIRST, BODY, 2, 0.42, 0, 0, 1, (x, y) => [0, x, y]);
      if (axes.first) pen.line(FIRST, BODY, 2.6, [0, 0, 0], [0, 0, 1.25]);
      if (axes.second) pen.line(SECOND, OTHER, 2.6, [0, 0, 0], [0, 0, 1.25]);
      break;
    case 'universal':
      pen.line(FIRST, BODY, 2.8, [0, 0, -1], [0, 0, 1]);
      for (const z of [-1, 1]) pen.arc(FIRST, BODY, 2, 0.22, z);
      if (axes.crossSecond) {
        pen.line(SECOND, OTHER, 2.8, [-1, 0, 0], [1, 0, 0]);
        for (const x of [-1, 1]) pen.arc(SECOND, OTHER, 2, 0.22, x, 0, 1, (y, z, h) => [h, y, z]);
      } else {
        pen.line(SECOND, OTHER, 2.8, [0, 0, -1], [0, 0, 1]);
        for (const z of [-1, 1]) pen.arc(SECOND, OTHER, 2, 0.22, z);
      }
      pen.rotary(joint);
      break;
    case 'planar':
      pen.square(FIRST, BODY, 2.2, 0.9);
      pen.line(FIRST, BODY, 2.2, [0, 0, 0], [0, 0, 0.7]);
      pen.arc(SECOND, OTHER, 2.2, 0.3);
      pen.line(SECOND, OTHER, 2.2, [0, 0, 0], [0.5, 0, 0]);
      pen.rotary(joint);
      break;
    case 'along':
      pen.square(FIRST, BODY, 2.2, 0.45);
      pen.line(FIRST, BODY, 2.4, [0, 0, -0.8], [0, 0, 0.8]);
      for (const z of [-0.8, 0.8]) pen.line(FIRST, BODY, 2.4, [-0.2, 0, z], [0.2, 0, z]);
      pen.dot(SECOND, OTHER, 7, [0, 0, 0]);
      break;
    case 'distance':
      pen.line(SPAN, BODY, 3, [0, 0, 0], [1, 0, 0]);
      pen.dot(FIRST, BODY, 8, [0, 0, 0]);
      pen.dot(SECOND, BODY, 8, [0, 0, 0]);
      break;
    case 'line':
      if (joint.spring) pen.coil(0.5, 0);
      if (joint.damper) pen.dashpot(joint.spring ? 0.26 : 0.4, 0);
      if (!joint.spring && !joint.damper) for (let i = 0; i < 10; i++) pen.line(SPAN, joint.actuator ? DRIVE : BODY, 2.2, [(i + 0.2) / 10, 0, 0], [(i + 0.8) / 10, 0, 0]);
      if (joint.actuator)
        for (const [tip, back] of [[0.42, 0.48], [0.58, 0.52]] as const) pen.line(SPAN, DRIVE, 2.8, [back, 0.4, 0], [tip, 0, 0], [back, -0.4, 0]);
      pen.dot(FIRST, BODY, 7, [0, 0, 0]);
      pen.dot(SECOND, BODY, 7, [0, 0, 0]);
      break;
    default: // fixed, and kinds of later versions
      pen.square(FIRST, BODY, 2.2, 0.42);
      pen.line(FIRST, BODY, 2.2, [-0.42, -0.42, 0], [0.42, 0.42, 0]);
      pen.line(FIRST, BODY, 2.2, [-0.42, 0.42, 0], [0.42, -0.42, 0]);
      pen.line(FIRST, BODY, 2.2, [0, 0, -0.42], [0, 0, 0.42]);
  }
  return pen.segments;
}
