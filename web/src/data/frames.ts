// Frames in memory: which are here, fetching those that are not.
import type { Source } from './source';

const MAGIC = 0x46544c53; // "SLTF"
const REACH = 32; // frames of one request
const MEMORY = 1e9; // bytes of records kept of a served run

export interface Slot {
  bytes: ArrayBuffer;
  begin: number; // of the record, in bytes
  end: number;
}

interface Chunk {
  first: number;
  count: number;
  bytes: ArrayBuffer;
}

export class Frames {
  time: number[];
  step: number[];
  count: number;
  error = '';
  private slots: (Slot | undefined)[] = [];
  private chunks: Chunk[] = [];
  private asked = new Map<number, Promise<void>>();
  private era = 0;

  constructor(private readonly source: Source, time: Float64Array, step: Uint32Array, count: number) {
    this.time = Array.from(time);
    this.step = Array.from(step);
    this.count = count;
  }

  get(k: number): Slot | undefined {
    return this.slots[k];
  }

  /** Removes all frames (a live run was restarted). */
  reset(time: Float64Array, step: Uint32Array, count: number): void {
    this.time = Array.from(time);
    this.step = Array.from(step);
    this.count = count;
    this.slots = [];
    this.chunks = [];
    this.asked.clear();
    this.era++;
  }

  /** More frames exist now (live). */
  grow(count: number, time: number, step: number): void {
    if (count <= this.count) return;
    for (let k = this.time.length; k < count; k++) {
      this.time[k] = time;
      this.step[k] = step;
    }
    this.count = count;
  }

  /** Requests frame k and the following ones, up to the size of one request. */
  want(k: number, reach = REACH): Promise<void> {
    if (this.slots[k]) return Promise.resolve();
    const waiting = this.asked.get(k);
    if (waiting) return waiting;
    let last = k;
    while (last + 1 < Math.min(this.count, k + reach) && !this.slots[last + 1] && !this.asked.has(last + 1)) last++;
    const era = this.era;
    const promise = this.source
      .frames(k, last)
      .then((bytes) => {
        if (era === this.era) this.take(bytes);
      })
      .catch((error: Error) => {
        if (era === this.era) this.error = error.message;
      })
      .finally(() => {
        if (era !== this.era) return;
        for (let i = k; i <= last; i++) this.asked.delete(i);
      });
    for (let i = k; i <= last; i++) this.asked.set(i, promise);
    return promise;
  }

  /** Asks for what playing needs next. */
  ahead(k: number): void {
    if (!this.source.served || this.asked.size > 2 * REACH) return;
    for (let i = k + 1; i < Math.min(this.count, k + REACH); i++)
      if (!this.slots[i] && !this.asked.has(i)) {
        void this.want(i);
        return;
      }
  }

  private take(bytes: ArrayBuffer): void {
    if (bytes.byteLength === 0) return;
    const head = new DataView(bytes);
    if (bytes.byteLength < 16 || head.getUint32(0, true) !== MAGIC) throw new Error('frames: a chunk does not begin with SLTF');
    const first = head.getUint32(4, true);
    const count = head.getUint32(8, true);
    const steps = 16 + 8 * count;
    const starts = steps + 4 * count;
    const records = Math.ceil((starts + 4 * (count + 1)) / 8) * 8;
    if (records > bytes.byteLength || records + head.getUint32(starts + 4 * count, true) > bytes.byteLength)
      throw new Error(`frames: the chunk from frame ${first} on is cut short`);
    for (let i = 0; i < count; i++) {
      const k = first + i;
      this.time[k] = head.getFloat64(16 + 8 * i, true);
      this.step[k] = head.getUint32(steps + 4 * i, true);
      this.slots[k] = {
        bytes,
        begin: records + head.getUint32(starts + 4 * i, true),
        end: records + head.getUint32(starts + 4 * i + 4, true),
      };
    }
    this.count = Math.max(this.count, first + count);
    this.chunks.push({ first, count, bytes });
    this.forget();
  }

  private forget(): void {
    if (!this.source.served) return;
    let size = 0;
    for (const chunk of this.chunks) size += chunk.bytes.byteLength;
    while (size > MEMORY && this.chunks.length > 4) {
      const chunk = this.chunks.shift()!;
      size -= chunk.bytes.byteLength;
      for (let i = 0; i < chunk.count; i++)
        if (this.slots[chunk.first + i]?.bytes === chunk.bytes) this.slots[chunk.first + i] = undefined;
    }
  }

  /** Last frame at or before t. */
  at(t: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time[middle]! <= t) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }
}
