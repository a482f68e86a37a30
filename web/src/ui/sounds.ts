// Rows that can be heard: waveform, spectrum at the moment, play tied to the clock.
import { h, iconButton, put, setIcon, text } from '../base/dom';
import { spectrum } from '../base/fft';
import { quantity } from '../base/units';
import type { Header, Sound } from '../data/header';
import type { StaticData } from '../data/static';
import type { Player } from '../player';

const WINDOW = 16384;

class SoundCard {
  readonly element: HTMLElement;
  readonly start: number;
  readonly peak: number; // of full scale
  private readonly wave = h('canvas', { class: 'wave' });
  private readonly spec = h('canvas', { class: 'spectrum' });
  private readonly now = h('div', { class: 'now-line' });
  private readonly button: HTMLButtonElement;
  private readonly told = h('span', { class: 'value' });
  private node: AudioBufferSourceNode | null = null;
  private buffer: AudioBuffer | null = null;
  private lastSpectrum = -1;
  private drawnWidth = 0;

  constructor(readonly spec_: Sound, private readonly samples: Int16Array, begin: number, owner: Sounds) {
    this.start = spec_.start ?? begin;
    let peak = 0;
    for (let i = 0; i < samples.length; i++) peak = Math.max(peak, Math.abs(samples[i]!));
    this.peak = peak / 32767;
    this.button = iconButton('play', `Play ${spec_.name}`, () => owner.toggle(this), { class: 'icon primary' });
    const waveBox = h('div', { class: 'wave-box', title: 'Click: go to that moment' }, this.wave, this.now);
    waveBox.addEventListener('click', (e) => {
      const box = waveBox.getBoundingClientRect();
      owner.seek(this.start + ((e.clientX - box.left) / box.width) * this.duration);
    });
    this.element = h('section', { class: 'card sound', 'aria-label': `Sound: ${spec_.name}` },
      h('header', {}, this.button, h('h3', {}, spec_.name), h('span', { class: 'unit' }, `${spec_.quantity}, ${quantity(spec_.rate, 'Hz')}, ${quantity(this.duration, 's', 3)}`)),
      waveBox, this.spec,
      h('p', { class: 'hint' }, `Full scale ${quantity(spec_.peak, spec_.unit)}${spec_.mean ? ` about ${quantity(spec_.mean, spec_.unit)}` : ''}${spec_.note ? `; ${spec_.note}` : ''}. Spectrum: Hann window of `, this.told));
  }
  get duration(): number {
    return this.samples.length / this.spec_.rate;
  }

  play(context: AudioContext, from: number): boolean {
    this.stop();
    const offset = from - this.start;
    if (offset < 0 || offset >= this.duration) return false;
    this.buffer ??= this.fill(context);
    this.node = new AudioBufferSourceNode(context, { buffer: this.buffer });
    this.node.connect(context.destination);
    this.node.start(0, offset);
    setIcon(this.button, 'pause', `Pause ${this.spec_.name}`);
    return true;
  }
  stop(): void {
    this.node?.stop();
    this.node?.disconnect();
    this.node = null;
    setIcon(this.button, 'play', `Play ${this.spec_.name}`);
  }
  /** Rates outside what browsers take are drawn out to one they take. */
  private fill(context: AudioContext): AudioBuffer {
    const rate = Math.max(8000, Math.min(96000, this.spec_.rate));
    const n = Math.max(1, Math.round(this.duration * rate));
    const buffer = context.createBuffer(1, n, rate);
    const out = buffer.getChannelData(0);
    const gain = 0.9 / Math.max(1, this.peak * 32767);
    const ratio = this.spec_.rate / rate;
    for (let i = 0; i < n; i++) {
      const x = i * ratio, k = Math.floor(x);
      const a = this.samples[k] ?? 0, b = this.samples[k + 1] ?? a;
      out[i] = gain * (a + (b - a) * (x - k));
    }
    return buffer;
  }

  at(t: number, force = false): void {
    const width = this.wave.clientWidth;
    if (!width) return;
    if (width !== this.drawnWidth || force) {
      this.drawnWidth = width;
      this.drawWave();
      this.lastSpectrum = -1;
    }
    const share = (t - this.start) / this.duration;
    this.now.style.transform = `translateX(${share * width}px)`;
    this.now.style.opacity = share >= 0 && share <= 1 ? '1' : '0';
    const begin = Math.max(0, Math.min(this.samples.length - WINDOW, Math.round(share * this.samples.length - WINDOW / 4)));
    const bin = Math.round(begin / 512);
    if (bin === this.lastSpectrum) return;
    this.lastSpectrum = bin;
    this.drawSpectrum(begin);
  }

  private sheet(canvas: HTMLCanvasElement): { g: CanvasRenderingContext2D; w: number; h: number; style: CSSStyleDeclaration } {
    const ratio = Math.min(2, devicePixelRatio || 1);
    const w = canvas.clientWidth, h = canvas.clientHeight;
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
      canvas.width = Math.round(w * ratio);
      canvas.height = Math.round(h * ratio);
    }
    const g = canvas.getContext('2d')!;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, w, h);
    return { g, w, h, style: getComputedStyle(document.documentElement) };
  }
  private drawWave(): void {
    const { g, w, h, style } = this.sheet(this.wave);
    const n = this.samples.length;
    const scale = (h / 2 - 2) / Math.max(1, this.peak * 32767);
    g.fillStyle = style.getPropertyValue('--line');
    g.fillRect(0, h / 2 - 0.5, w, 1);
    g.fillStyle = style.getPropertyValue('--accent');
    const column = w / this.wave.width;
    for (let x = 0; x < w; x += column) {
      const from = Math.floor((x / w) * n), to = Math.max(from + 1, Math.floor(((x + column) / w) * n));
      let low = 32767, high = -32768;
      for (let i = from; i < to && i < n; i++) {
        const s = this.samples[i]!;
        if (s < low) low = s;
        if (s > high) high = s;
      }
      if (high < low) continue;
      g.fillRect(x, h / 2 - high * scale - 0.5, column, (high - low) * scale + 1);
    }
  }
  private drawSpectrum(begin: number): void {
    const { g, w, h, style } = this.sheet(this.spec);
    const count = Math.min(WINDOW, this.samples.length);
    const amplitude = spectrum(this.samples, begin, count);
    const n = amplitude.length * 2;
    text(this.told, `${quantity(n / this.spec_.rate, 's', 3)} about the moment; 0 dB is full scale.`);
    const low = 20, high = this.spec_.rate / 2, left = 34, bottom = 18, floor = -100;
    const X = (f: number): number => left + ((w - left - 4) * Math.log(f / low)) / Math.log(high / low);
    const Y = (db: number): number => 6 + ((h - 6 - bottom) * db) / floor;
    g.font = '11px ui-sans-serif, system-ui, sans-serif';
    g.fillStyle = style.getPropertyValue('--soft');
    g.strokeStyle = style.getPropertyValue('--line');
    g.lineWidth = 1;
    g.textAlign = 'right';
    g.textBaseline = 'middle';
    for (let db = 0; db >= floor; db -= 25) {
      g.beginPath();
      g.moveTo(left, Math.round(Y(db)) + 0.5);
      g.lineTo(w, Math.round(Y(db)) + 0.5);
      g.stroke();
      g.fillText(db === 0 ? '0 dB' : String(db).replace('-', '−'), left - 4, Y(db));
    }
    g.textAlign = 'center';
    g.textBaseline = 'bottom';
    for (const f of [20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000])
      if (f < high && (w > 320 || !/^5/.test(String(f)))) {
        g.beginPath();
        g.moveTo(Math.round(X(f)) + 0.5, 6);
        g.lineTo(Math.round(X(f)) + 0.5, h - bottom);
        g.stroke();
        if (X(f) < w - 34) g.fillText(f >= 1000 ? `${f / 1000}k` : String(f), Math.max(left, X(f)), h - 2);
      }
    g.textAlign = 'right';
    g.fillText('Hz', w - 2, h - 2);
    g.strokeStyle = style.getPropertyValue('--accent');
    g.lineWidth = 1.2;
    g.beginPath();
    let column = -1, best = -Infinity, open = false;
    const put = (x: number, db: number): void => {
      const y = Math.max(2, Math.min(h - bottom, Y(Math.max(floor, db))));
      if (open) g.lineTo(x, y);
      else g.moveTo(x, y);
      open = true;
    };
    for (let k = 1; k < amplitude.length; k++) {
      const f = (k * this.spec_.rate) / n;
      if (f < low) continue;
      const x = Math.round(X(f) * 2) / 2;
      const db = 20 * Math.log10(amplitude[k]! / 32767 + 1e-12);
      if (x !== column && column >= 0) {
        put(column, best);
        best = -Infinity;
      }
      column = x;
      best = Math.max(best, db);
    }
    if (column >= 0) put(column, best);
    g.stroke();
  }
}

export class Sounds {
  readonly element = h('div', { class: 'sounds' });
  private readonly cards: SoundCard[];
  private context: AudioContext | null = null;
  private current: SoundCard | null = null;
  private from = 0; // of the run, when the context showed `since`
  private since = 0;

  constructor(header: Header, data: StaticData, private readonly player: Player) {
    this.cards = header.sounds.map((sound) => new SoundCard(sound, data.i16(sound.data), player.begin, this));
    put(this.element, ...this.cards.map((c) => c.element));
    if (!this.cards.length) put(this.element, h('p', { class: 'empty' }, 'No sound was stored with this run: a probe with a wav file makes one.'));
    player.onJump = () => this.moved();
    player.playing.on((on) => {
      if (!on) this.silence();
    });
  }
  get count(): number {
    return this.cards.length;
  }
  get peak(): number {
    return this.cards.reduce((most, c) => Math.max(most, c.peak), 0);
  }

  toggle(card: SoundCard): void {
    const same = this.current === card;
    this.player.pause();
    if (same) return;
    this.context ??= new AudioContext();
    void this.context.resume();
    this.player.speed.value = 1;
    const end = Math.min(this.player.end, card.start + card.duration);
    if (this.player.time < card.start || this.player.time >= end - 1e-3) this.player.goToTime(card.start);
    this.begin(card);
    this.player.play();
  }
  private begin(card: SoundCard): void {
    if (!this.context || !card.play(this.context, this.player.time)) return;
    this.current = card;
    this.from = this.player.time;
    this.since = this.context.currentTime;
    this.player.master = () => this.time();
  }
  /** The moment that is heard; null once another speed was chosen. */
  private time(): number | null {
    if (!this.context || !this.current) return null;
    if (this.player.speed.value !== 1) {
      this.silence();
      return null;
    }
    return this.from + this.context.currentTime - this.since;
  }
  private silence(): void {
    this.current?.stop();
    this.current = null;
    this.player.master = null;
  }
  /** The clock was moved by hand while a sound plays: go on from there. */
  private moved(): void {
    const card = this.current;
    if (!card) return;
    this.silence();
    this.begin(card);
  }
  seek(t: number): void {
    this.player.goToTime(t);
  }
  at(t: number): void {
    for (const card of this.cards) card.at(t);
  }
  theme(): void {
    for (const card of this.cards) card.at(this.player.time, true);
  }
}
