// One record decoded: tracks as floats, contacts as columns. Buffers are made once and written in place.
import { CONTACT_BYTES, type Header, type Track } from './header';
import type { Slot } from './frames';

export enum Status {
  open,
  slides,
  sticks,
  closed,
}

export class Contacts {
  count = 0;
  place = new Float32Array(0);
  normal = new Float32Array(0);
  force = new Float32Array(0);
  gap = new Float32Array(0);
  who = new Int16Array(0); // a, member a, b, member b
  status = new Uint8Array(0);

  room(n: number): void {
    if (this.gap.length >= n) return;
    const size = Math.ceil(n * 1.5);
    this.place = new Float32Array(3 * size);
    this.normal = new Float32Array(3 * size);
    this.force = new Float32Array(3 * size);
    this.gap = new Float32Array(size);
    this.who = new Int16Array(4 * size);
    this.status = new Uint8Array(size);
  }

  decode(slot: Slot, begin: number): void {
    const n = Math.floor((slot.end - begin) / CONTACT_BYTES);
    this.room(n);
    this.count = n;
    if (n === 0) return;
    const f = new Float32Array(slot.bytes, begin, 13 * n);
    const i16 = new Int16Array(slot.bytes, begin, 26 * n);
    const u8 = new Uint8Array(slot.bytes, begin, CONTACT_BYTES * n);
    const { place, normal, force, gap, who, status } = this;
    for (let i = 0; i < n; i++) {
      const s = 13 * i;
      for (let c = 0; c < 3; c++) {
        place[3 * i + c] = f[s + c]!;
        normal[3 * i + c] = f[s + 3 + c]!;
        force[3 * i + c] = f[s + 6 + c]!;
      }
      gap[i] = f[s + 9]!;
      for (let c = 0; c < 4; c++) who[4 * i + c] = i16[26 * i + 20 + c]!;
      status[i] = u8[CONTACT_BYTES * i + 48]!;
    }
  }
}

const BYTES = { f32: 4, u16: 2, i16: 2 } as const;

export class Record {
  readonly tracks: Float32Array[];
  readonly contacts = new Contacts();
  private readonly specs: Track[];
  private readonly offsets: number[] = [];
  private readonly rotations: Set<number | null>;
  private readonly frameBytes: number;

  constructor(header: Header) {
    this.specs = header.tracks;
    this.frameBytes = header.frame_bytes;
    this.rotations = new Set(header.poses.map((pose) => pose.rotation));
    this.tracks = header.tracks.map((track) => new Float32Array(track.width));
    let at = 0;
    for (const track of header.tracks) {
      if (!(track.type in BYTES)) throw new Error(`header: track ${track.name} of unknown type ${String(track.type)}`);
      this.offsets.push(at);
      at += Math.ceil((BYTES[track.type] * track.width) / 4) * 4;
    }
    if (at !== header.frame_bytes) throw new Error(`header: tracks need ${at} bytes, frame_bytes is ${header.frame_bytes}`);
  }

  decode(slot: Slot, withContacts: boolean): void {
    for (let t = 0; t < this.specs.length; t++) {
      const spec = this.specs[t]!;
      const out = this.tracks[t]!;
      const at = slot.begin + this.offsets[t]!;
      if (spec.type === 'f32') out.set(new Float32Array(slot.bytes, at, spec.width));
      else if (spec.type === 'i16') {
        const raw = new Int16Array(slot.bytes, at, spec.width);
        for (let i = 0; i < raw.length; i++) out[i] = raw[i]! * (1 / 32767);
      } else dequantise(new Uint16Array(slot.bytes, at, spec.width), out, spec);
    }
    if (withContacts) this.contacts.decode(slot, slot.begin + this.frameBytes);
  }

  /** Interpolates tracks towards `next` by the fraction `share`; quaternions along the shorter arc. */
  blend(next: Record, share: number): void {
    for (let t = 0; t < this.tracks.length; t++) {
      const a = this.tracks[t]!;
      const b = next.tracks[t]!;
      if (this.rotations.has(t)) blendQuaternions(a, b, share);
      else for (let i = 0; i < a.length; i++) a[i] = a[i]! + share * (b[i]! - a[i]!);
    }
  }
}

function dequantise(raw: Uint16Array, out: Float32Array, spec: Track): void {
  const n = raw.length;
  const step = spec.lo.map((lo, c) => (spec.hi[c]! - lo) / 65535);
  if (spec.axes === 3) {
    const [x, y, z] = spec.lo as [number, number, number];
    const [dx, dy, dz] = step as [number, number, number];
    for (let i = 0; i < n; i += 3) {
      out[i] = x + dx * raw[i]!;
      out[i + 1] = y + dy * raw[i + 1]!;
      out[i + 2] = z + dz * raw[i + 2]!;
    }
  } else {
    const axes = spec.axes || 1;
    for (let i = 0; i < n; i++) out[i] = spec.lo[i % axes]! + step[i % axes]! * raw[i]!;
  }
}

function blendQuaternions(a: Float32Array, b: Float32Array, share: number): void {
  for (let i = 0; i + 3 < a.length; i += 4) {
    const dot = a[i]! * b[i]! + a[i + 1]! * b[i + 1]! + a[i + 2]! * b[i + 2]! + a[i + 3]! * b[i + 3]!;
    const s = dot < 0 ? -share : share;
    let square = 0;
    for (let c = i; c < i + 4; c++) {
      a[c] = (1 - share) * a[c]! + s * b[c]!;
      square += a[c]! * a[c]!;
    }
    const scale = 1 / Math.sqrt(square || 1);
    for (let c = i; c < i + 4; c++) a[c] = a[c]! * scale;
  }
}
