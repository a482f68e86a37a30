// window.saltus: what tests and scripts may ask and do. See README.md.
export interface Hooks {
  ready: Promise<void>;
  errors: string[];
  frame(): number;
  time(): number;
  goTo(k: number): void;
  play(): void;
  pause(): void;
  counts(): { instances: number; arrows: number; contacts: number; plots: number; sounds: number; triangles: number };
  soundPeak(): number;
  screenshot(): string;
  /** Mean script time of the last 120 drawn frames [ms], without the calls of WebGL (costs().draw): those wait for the renderer. */
  frameTime(): number;
  /** The same by what it was spent on: decoding, filling buffers, panels and plots, calls of WebGL [ms]. */
  costs(): { decode: number; fill: number; panels: number; draw: number };
  select(body: number, member?: number): void;
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
