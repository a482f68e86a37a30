// The axes of the world in a corner.
import type { Stage } from '../scene/stage';

const COLOURS = ['#d1495b', '#4f9d55', '#3b7dd8'];

export class Triad {
  readonly element = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  private readonly arms: { line: SVGLineElement; text: SVGTextElement }[] = [];

  constructor() {
    this.element.setAttribute('viewBox', '-34 -34 68 68');
    this.element.setAttribute('class', 'triad');
    this.element.setAttribute('aria-hidden', 'true');
    for (let i = 0; i < 3; i++) {
      const line = document.createElementNS('http://www.w3.org/2000/svg', 'line');
      line.setAttribute('stroke', COLOURS[i]!);
      line.setAttribute('stroke-width', '2');
      line.setAttribute('stroke-linecap', 'round');
      const text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
      text.textContent = 'xyz'[i]!;
      text.setAttribute('fill', COLOURS[i]!);
      text.setAttribute('text-anchor', 'middle');
      text.setAttribute('dominant-baseline', 'central');
      this.element.append(line, text);
      this.arms.push({ line, text });
    }
  }
  update(stage: Stage): void {
    stage.axes().forEach(({ x, y }, i) => {
      const { line, text } = this.arms[i]!;
      line.setAttribute('x2', (22 * x).toFixed(1));
      line.setAttribute('y2', (-22 * y).toFixed(1));
      text.setAttribute('x', (29 * x).toFixed(1));
      text.setAttribute('y', (-29 * y).toFixed(1));
      text.setAttribute('opacity', Math.hypot(x, y) < 0.15 ? '0' : '1');
    });
  }
}
