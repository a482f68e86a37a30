// window.saltus: what tests and scripts may ask and do. See README.md.
import { Vector3 } from 'three';
import type { Header } from './data/header';
import type { Player } from './player';
import type { Stage } from './scene/stage';
import type { BodyPanel } from './ui/bodies';
import type { JointPanel } from './ui/joints';
import type { Labels } from './ui/labels';
import type { Plots } from './ui/plots';
import type { Sounds } from './ui/sounds';
import type { Tabs } from './ui/tabs';

export interface Hooks {
  ready: Promise<void>;
  errors: string[];
  frame(): number;
  time(): number;
  goTo(k: number): void;
  play(): void;
  pause(): void;
  counts(): { instances: number; arrows: number; contacts: number; plots: number; sounds: number; triangles: number; joints: number; walls: number };
  soundPeak(): number;
  screenshot(): string;
  /** Mean script time of the last 120 drawn frames [ms], without the calls of WebGL (costs().draw): those wait for the renderer. */
  frameTime(): number;
  /** The same by what it was spent on: decoding, filling buffers, panels and plots, calls of WebGL [ms]. */
  costs(): { decode: number; fill: number; panels: number; draw: number };
  select(body: number, member?: number): void;
  selectJoint(j: number): void;
  /** The two places of a joint in space at this frame; null where it is not drawn. */
  jointPlace(j: number): [number[], number[]] | null;
  coordinates(j: number): { name: string; value: number; unit: string }[];
  /** Corners of the patch of a plane. */
  wall(i: number): number[][];
  labels(): string[];
  /** Pixel of a place in the view. */
  screen(x: number, y: number, z: number): [number, number];
  view(name: string): void;
}

export const errors: string[] = [];
addEventListener('error', (e) => errors.push(e.message));
addEventListener('unhandledrejection', (e) => errors.push(String((e.reason as Error)?.message ?? e.reason)));

/** Mean of the last n values. */
export class Mean {
  private readonly values: Float64Array;
  private count = 0;
  constructor(n: number) {
    this.values = new Float64Array(n);
  }
  add(x: number): void {
    this.values[this.count++ % this.values.length] = x;
  }
  get value(): number {
    const n = Math.min(this.count, this.values.length);
    let sum = 0;
    for (let i = 0; i < n; i++) sum += this.values[i]!;
    return n ? sum / n : 0;
  }
  clear(): void {
    this.count = 0;
  }
}

export function attachHooks(hooks: Hooks, parts: {
  header: Header; player: Player; stage: Stage | null; bodies: BodyPanel; joints: JointPanel | null; labels: Labels | null; plots: Plots; sounds: Sounds; tabs: Tabs;
  costs: { decode: Mean; fill: Mean; panels: Mean; draw: Mean }; picture: () => HTMLCanvasElement | null;
}): void {
  const { header, player, stage, bodies, joints, labels, plots, sounds, tabs, costs } = parts;
  Object.assign(hooks, {
    frame: () => player.frame.value,
    time: () => player.time,
    goTo: (k: number) => player.goTo(k),
    play: () => player.play(),
    pause: () => player.pause(),
    counts: () => ({
      instances: stage?.solids.instances ?? header.instances.shape.count,
      arrows: stage && stage.arrows.arrowsOn ? stage.arrows.drawn : 0,
      contacts: player.record.contacts.count,
      plots: plots.count,
      sounds: sounds.count,
      triangles: stage?.triangles() ?? 0,
      joints: stage?.joints.shown ? stage.joints.drawn : 0,
      walls: stage?.ground.drawn ?? 0,
    }),
    soundPeak: () => sounds.peak,
    screenshot: () => parts.picture()?.toDataURL('image/png') ?? '',
    frameTime: () => costs.decode.value + costs.fill.value + costs.panels.value,
    costs: () => ({ decode: costs.decode.value, fill: costs.fill.value, panels: costs.panels.value, draw: costs.draw.value }),
    select: (body: number, member = 0) => {
      bodies.choose(body, member, null);
      tabs.show('Body');
    },
    selectJoint: (j: number) => {
      tabs.show('Body');
      joints?.choose(j);
    },
    jointPlace: (j: number) => {
      if (!stage?.joints.shown || !stage.joints.isThere(j)) return null;
      const p = Array.from(stage.joints.anchors.place.subarray(6 * j, 6 * j + 6));
      return [p.slice(0, 3), p.slice(3)] as [number[], number[]];
    },
    coordinates: (j: number) => joints?.coordinates.of(j) ?? [],
    wall: (i: number) => stage?.ground.corners(i) ?? [],
    labels: () => labels?.texts ?? [],
    screen: (x: number, y: number, z: number) => {
      const p = stage?.project(new Vector3(x, y, z));
      return [p?.x ?? NaN, p?.y ?? NaN] as [number, number];
    },
    view: (v: string) => stage?.view(v as Parameters<Stage['view']>[0]),
  } satisfies Partial<Hooks>);
}
