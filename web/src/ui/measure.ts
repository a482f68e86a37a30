// The distance between two clicked points, which stay on their bodies.
import { Vector3 } from 'three';
import { h, put } from '../base/dom';
import { quantity } from '../base/units';
import type { Hit } from '../scene/pick';
import type { Stage } from '../scene/stage';

export class Measure {
  readonly element = h('div', { class: 'measure', 'aria-live': 'polite' });
  on = false;
  private ends: Hit[] = [];
  private readonly svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  private readonly line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  private readonly label = h('span', { class: 'badge strong' });
  onChange: (on: boolean) => void = () => {};

  constructor(private readonly stage: Stage) {
    this.svg.append(this.line);
    put(this.element, this.svg, this.label);
    this.element.hidden = true;
  }
  toggle(on = !this.on): void {
    this.on = on;
    this.ends = [];
    this.element.hidden = !on;
    this.onChange(on);
    this.update();
  }
  click(hit: Hit | null): void {
    if (!hit) return;
    if (this.ends.length === 2) this.ends = [];
    this.ends.push(hit);
    this.update();
  }
  update(): void {
    if (!this.on) return;
    const world = this.ends.map((end) => end.at(new Vector3()));
    const screen = world.map((p) => this.stage.project(p.clone()));
    const dot = (p: Vector3): string => `M${p.x - 5} ${p.y}a5 5 0 1 0 10 0a5 5 0 1 0 -10 0`;
    this.line.setAttribute('d', screen.length && screen.every((p) => p.z < 1)
      ? screen.map(dot).join('') + (screen.length === 2 ? `M${screen[0]!.x} ${screen[0]!.y}L${screen[1]!.x} ${screen[1]!.y}` : '') : '');
    if (world.length < 2) {
      this.label.textContent = world.length ? 'Click the second point.' : 'Measure: click two points on bodies.';
      this.label.style.transform = '';
      return;
    }
    const d = world[1]!.clone().sub(world[0]!);
    this.label.textContent = `${quantity(d.length(), 'm')}   Δx ${quantity(d.x, 'm', 3)}, Δy ${quantity(d.y, 'm', 3)}, Δz ${quantity(d.z, 'm', 3)}`;
  }
}
