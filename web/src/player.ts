// The clock: which moment is shown, playing, stepping, speed; decodes the frame of that moment.
import { Signal } from './base/signal';
import type { Frames } from './data/frames';
import type { Header } from './data/header';
import { Record } from './data/record';

export const SPEEDS = [1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

export class Player {
  readonly playing = new Signal(false);
  readonly loop = new Signal(false);
  readonly speed = new Signal(1);
  readonly smooth = new Signal(false);
  readonly frame = new Signal(-1);
  readonly waiting = new Signal(false);
  /** A moment, not only those of frames: what plots and sounds point at. */
  time = 0;
  readonly record: Record;
  /** Counts pictures: differs when the record holds something else. */
  version = 0;
  /** While a sound plays it tells the time. */
  master: (() => number | null) | null = null;
  /** The moment was set by hand, not by playing on. */
  onJump: () => void = () => {};
  private readonly next: Record;
  private last = 0;
  private shown = -1;
  private share = -1;

  constructor(header: Header, readonly frames: Frames) {
    this.record = new Record(header);
    this.next = new Record({ ...header });
    const span = this.end - this.begin;
    this.time = this.begin;
    // as fast as in the world if that is watched in 2 s to a minute, else about ten seconds
    if (span > 0 && (span < 2 || span > 60)) this.speed.value = SPEEDS.reduce((a, b) => (Math.abs(Math.log((b * 10) / span)) < Math.abs(Math.log((a * 10) / span)) ? b : a));
  }

  get begin(): number {
    return this.frames.time[0] ?? 0;
  }
  get end(): number {
    return this.frames.time[this.frames.count - 1] ?? 0;
  }

  play(): void {
    if (this.frames.count < 2) return;
    if (this.time >= this.end) this.time = this.begin;
    this.last = performance.now();
    this.playing.value = true;
  }
  pause(): void {
    this.playing.value = false;
  }
  goTo(k: number): void {
    k = Math.max(0, Math.min(this.frames.count - 1, Math.round(k)));
    this.time = this.frames.time[k] ?? 0;
    this.frame.value = k;
    this.onJump();
  }
  goToTime(t: number): void {
    this.moveTo(t);
    this.onJump();
  }
  private moveTo(t: number): void {
    // without frames the moment is still one of the plots
    this.time = this.frames.count ? Math.max(this.begin, Math.min(this.end, t)) : t;
    this.frame.value = this.frames.at(this.time);
  }
  step(by: number): void {
    this.pause();
    this.goTo(this.frame.value + by);
  }
  faster(by: number): void {
    const k = SPEEDS.findIndex((s) => s >= this.speed.value * 0.999);
    this.speed.value = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, (k < 0 ? 0 : k) + by))]!;
  }
  /** Frames are new (restart, more of them): decode again. */
  invalidate(): void {
    this.shown = -1;
  }

  /** Moves the clock and decodes; true if the picture changes. */
  tick(now: number): boolean {
    if (this.playing.value && !this.waiting.value) {
      const told = this.master?.() ?? null;
      // a tab that was in the background must not leap
      const dt = Math.min(0.1, (now - this.last) / 1000);
      const t = told ?? this.time + dt * this.speed.value;
      if (t >= this.end) {
        if (this.loop.value && this.end > this.begin) this.goToTime(this.begin);
        else {
          this.moveTo(this.end);
          this.pause();
        }
      } else this.moveTo(t);
    }
    this.last = now;
    return this.decode();
  }

  private decode(): boolean {
    const k = this.frame.value;
    if (k < 0 || k >= this.frames.count) return false;
    const slot = this.frames.get(k);
    if (!slot) {
      this.waiting.value = true;
      void this.frames.want(k);
      return false;
    }
    this.waiting.value = false;
    this.frames.ahead(k);
    let share = 0;
    if (this.smooth.value && k + 1 < this.frames.count) {
      const a = this.frames.time[k]!, b = this.frames.time[k + 1]!;
      share = b > a ? Math.max(0, Math.min(1, (this.time - a) / (b - a))) : 0;
    }
    if (k === this.shown && share === this.share) return false;
    const later = share > 0 ? this.frames.get(k + 1) : undefined;
    this.record.decode(slot, true);
    if (later) {
      this.next.decode(later, false);
      this.record.blend(this.next, share);
    }
    this.shown = k;
    this.share = share;
    this.version++;
    return true;
  }
}
