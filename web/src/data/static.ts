// Arrays in the static bytes.
import type { ArrayRef } from './header';

const KINDS = {
  f32: Float32Array,
  f64: Float64Array,
  u8: Uint8Array,
  i16: Int16Array,
  u16: Uint16Array,
  i32: Int32Array,
  u32: Uint32Array,
} as const;

export class StaticData {
  constructor(private readonly bytes: ArrayBuffer) {}

  private view(ref: ArrayRef): Float32Array | Float64Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array {
    const kind = KINDS[ref.type];
    if (!kind) throw new Error(`static: array of unknown type ${String(ref.type)}`);
    if (ref.at + ref.count * kind.BYTES_PER_ELEMENT > this.bytes.byteLength)
      throw new Error(`static: array at ${ref.at} of ${ref.count} numbers ends behind the last byte`);
    return new kind(this.bytes, ref.at, ref.count);
  }
  /** The numbers themselves where the type is the wanted one, else a copy. */
  f32(ref: ArrayRef): Float32Array {
    const view = this.view(ref);
    return view instanceof Float32Array ? view : Float32Array.from(view);
  }
  f64(ref: ArrayRef): Float64Array {
    const view = this.view(ref);
    return view instanceof Float64Array ? view : Float64Array.from(view);
  }
  i32(ref: ArrayRef): Int32Array {
    const view = this.view(ref);
    return view instanceof Int32Array ? view : Int32Array.from(view);
  }
  u32(ref: ArrayRef): Uint32Array {
    const view = this.view(ref);
    return view instanceof Uint32Array ? view : Uint32Array.from(view);
  }
  i16(ref: ArrayRef): Int16Array {
    const view = this.view(ref);
    return view instanceof Int16Array ? view : Int16Array.from(view);
  }
}
