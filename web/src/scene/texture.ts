// Rows of four floats that shaders read by number. Shapes, arrows and lines are drawn from these as one long list of
// vertices (gl_VertexID tells which instance): drivers and above all software renderers draw many small instances slowly.
import { BufferAttribute, BufferGeometry, DataTexture, FloatType, NearestFilter, RGBAFormat } from 'three';

const WIDTH = 1024; // texels a row

export class FloatTexture {
  readonly array: Float32Array;
  readonly texture: DataTexture;

  constructor(texels: number) {
    const height = Math.max(1, Math.ceil(texels / WIDTH));
    this.array = new Float32Array(4 * WIDTH * height);
    this.texture = new DataTexture(this.array as Float32Array<ArrayBuffer>, WIDTH, height, RGBAFormat, FloatType);
    this.texture.minFilter = this.texture.magFilter = NearestFilter;
    this.texture.needsUpdate = true;
  }
  touch(): void {
    this.texture.needsUpdate = true;
  }
}

export const FETCH = `
  vec4 fetchRow(highp sampler2D rows, int i) { return texelFetch(rows, ivec2(i & ${WIDTH - 1}, i >> ${Math.log2(WIDTH)}), 0); }`;

/** Index of `count` copies of a shape: copy k of vertex v is number k * vertices + v. */
export function copies(index: ArrayLike<number>, vertices: number, count: number): BufferGeometry {
  const out = new Uint32Array(index.length * count);
  for (let k = 0, at = 0; k < count; k++) {
    const base = k * vertices;
    for (let i = 0; i < index.length; i++) out[at++] = base + index[i]!;
  }
  const geometry = new BufferGeometry();
  geometry.setIndex(new BufferAttribute(out, 1));
  return geometry;
}
