// Names of bodies and joints in the view: of those that are seen the nearest, and none upon another.
import { Vector3 } from 'three';
import { h } from '../base/dom';
import type { Header } from '../data/header';
import type { Stage } from '../scene/stage';

const MOST = 50; // bodies, and as many joints
const TALL = 17; // pixels of a line

interface Named {
  name: string;
  joint: boolean;
  /** Where it is now; false: nowhere. */
  at: (out: Vector3) => boolean;
  x: number;
  y: number;
  depth: number;
}

export class Labels {
  readonly element = h('div', { class: 'labels', 'aria-hidden': 'true', hidden: true });
  on = false;
  private list: Named[] | null = null;
  private readonly pool: HTMLElement[] = [];
  private shown: Named[] = [];
  private readonly widths = new Map<string, number>();

  constructor(private readonly header: Header, private readonly tracks: Float32Array[], private readonly stage: Stage) {
    stage.paint = (g, ratio) => this.paint(g, ratio);
  }
  toggle(on: boolean): void {
    this.on = on;
    this.element.hidden = !on;
    this.update();
  }
  get texts(): string[] {
    return this.on ? this.shown.map((n) => n.name) : [];
  }

  /** Everything that has a name. */
  private collect(): Named[] {
    const list: Named[] = [];
    const put = (name: string, joint: boolean, at: (out: Vector3) => boolean): void => {
      if (name) list.push({ name, joint, at, x: 0, y: 0, depth: 0 });
    };
    const { header, tracks, stage } = this;
    header.bodies.forEach((body, b) => {
      const pose = header.poses.find((p) => p.body === b), affine = header.affine.find((p) => p.body === b);
      const track = pose ? tracks[pose.position] : affine ? tracks[affine.centre] : undefined;
      if (track) {
        for (let m = 0; m < body.members; m++)
          put(body.names[m] ?? (body.members > 1 ? '' : body.name), false, (out) => !!out.fromArray(track, 3 * m));
        return;
      }
      const drawn = stage.surfaces.surfaces.find((s) => s.spec.body === b) ?? stage.lines.lines.find((l) => l.spec.body === b);
      if (!drawn) return;
      const p = drawn.position;
      const every = 3 * Math.max(1, Math.floor(p.length / 600)); // some two hundred points tell the middle
      put(body.names[0] ?? body.name, false, (out) => {
        out.set(0, 0, 0);
        let n = 0;
        for (let i = 0; i + 2 < p.length; i += every, n++) out.set(out.x + p[i]!, out.y + p[i + 1]!, out.z + p[i + 2]!);
        out.divideScalar(n || 1);
        return n > 0;
      });
    });
    const { place } = stage.joints.anchors;
    header.joints.forEach((joint, j) => put(joint.name, true, (out) => {
      if (!stage.joints.shown || !stage.joints.isThere(j)) return false;
      out.set(place[6 * j]! + place[6 * j + 3]!, place[6 * j + 1]! + place[6 * j + 4]!, place[6 * j + 2]! + place[6 * j + 5]!).multiplyScalar(0.5);
      return true;
    }));
    return list;
  }

  /** The picture was drawn anew. */
  update(): void {
    if (!this.on) return;
    this.list ??= this.collect();
    const { stage } = this;
    const v = new Vector3(), eye = stage.camera.active.position;
    const seen = this.list.filter((n) => {
      if (!n.at(v)) return false;
      n.depth = v.distanceToSquared(eye);
      stage.project(v);
      n.x = v.x;
      n.y = v.y;
      return v.z < 1 && v.x > 0 && v.y > 0 && v.x < stage.width && v.y < stage.height;
    }).sort((a, b) => a.depth - b.depth);
    const left = [MOST, MOST];
    const boxes: number[] = [];
    this.shown = [];
    for (const n of seen) {
      const kind = n.joint ? 1 : 0;
      if (!left[kind]) continue;
      // joints say their names below their marks, bodies at their middles
      const x = n.x + (n.joint ? 8 : 0), y = n.y + (n.joint ? 14 : 0), wide = this.width(n.name);
      const x0 = n.joint ? x : x - wide / 2;
      let free = true;
      for (let i = 0; free && i < boxes.length; i += 3) free = Math.abs(boxes[i + 1]! - y) > TALL || x0 > boxes[i]! + boxes[i + 2]! || x0 + wide < boxes[i]!;
      if (!free) continue;
      boxes.push(x0, y, wide);
      left[kind]!--;
      n.x = x0;
      n.y = y;
      this.shown.push(n);
    }
    this.shown.forEach((n, i) => {
      let label = this.pool[i];
      if (!label) {
        label = h('span', {});
        this.pool.push(label);
        this.element.append(label);
      }
      if (label.textContent !== n.name) label.textContent = n.name;
      label.className = n.joint ? 'joint' : '';
      label.hidden = false;
      label.style.transform = `translate(${Math.round(n.x)}px, ${Math.round(n.y - TALL / 2)}px)`;
    });
    for (let i = this.shown.length; i < this.pool.length; i++) this.pool[i]!.hidden = true;
  }
  private width(name: string): number {
    let wide = this.widths.get(name);
    if (wide === undefined) this.widths.set(name, (wide = 6.2 * name.length + 8));
    return wide;
  }

  /** The same names on a picture that is saved. */
  private paint(g: CanvasRenderingContext2D, ratio: number): void {
    if (!this.on) return;
    g.font = `${Math.round(11 * ratio)}px ui-sans-serif, system-ui, sans-serif`;
    g.textBaseline = 'middle';
    g.lineWidth = 3 * ratio;
    g.lineJoin = 'round';
    const style = getComputedStyle(this.element);
    for (const n of this.shown) {
      g.strokeStyle = style.getPropertyValue('--back');
      g.fillStyle = style.getPropertyValue('--ink');
      g.strokeText(n.name, (n.x + 4) * ratio, n.y * ratio);
      g.fillText(n.name, (n.x + 4) * ratio, n.y * ratio);
    }
  }
}
