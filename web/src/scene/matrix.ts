// Affine matrices by columns of four in typed arrays, written in place. The fourth row is left alone: it holds colours.

/** out[at..] = T(p) R(q) S(s); q = w x y z. */
export function compose(
  out: Float32Array, at: number,
  px: number, py: number, pz: number,
  w: number, x: number, y: number, z: number,
  sx: number, sy: number, sz: number,
): void {
  const xx = x * x, yy = y * y, zz = z * z, xy = x * y, xz = x * z, yz = y * z, wx = w * x, wy = w * y, wz = w * z;
  out[at] = (1 - 2 * (yy + zz)) * sx;
  out[at + 1] = 2 * (xy + wz) * sx;
  out[at + 2] = 2 * (xz - wy) * sx;
  out[at + 4] = 2 * (xy - wz) * sy;
  out[at + 5] = (1 - 2 * (xx + zz)) * sy;
  out[at + 6] = 2 * (yz + wx) * sy;
  out[at + 8] = 2 * (xz + wy) * sz;
  out[at + 9] = 2 * (yz - wx) * sz;
  out[at + 10] = (1 - 2 * (xx + yy)) * sz;
  out[at + 12] = px;
  out[at + 13] = py;
  out[at + 14] = pz;
}

/** out = a b; out may not be a or b. */
export function multiply(out: Float32Array, at: number, a: Float32Array, i: number, b: Float32Array, j: number): void {
  for (let c = 0; c < 4; c++) {
    const k = j + 4 * c;
    const b0 = b[k]!, b1 = b[k + 1]!, b2 = b[k + 2]!;
    for (let r = 0; r < 3; r++)
      out[at + 4 * c + r] = a[i + r]! * b0 + a[i + 4 + r]! * b1 + a[i + 8 + r]! * b2 + (c === 3 ? a[i + 12 + r]! : 0);
  }
}

/** Inverse of an affine matrix; false if it is flat. */
export function invert(m: Float32Array, at: number, out: Float32Array): boolean {
  const a = m[at]!, b = m[at + 4]!, c = m[at + 8]!;
  const d = m[at + 1]!, e = m[at + 5]!, f = m[at + 9]!;
  const g = m[at + 2]!, h = m[at + 6]!, k = m[at + 10]!;
  const A = e * k - f * h, B = f * g - d * k, C = d * h - e * g;
  const det = a * A + b * B + c * C;
  if (!(Math.abs(det) > 0)) return false;
  const s = 1 / det;
  out[0] = A * s; out[4] = (c * h - b * k) * s; out[8] = (b * f - c * e) * s;
  out[1] = B * s; out[5] = (a * k - c * g) * s; out[9] = (c * d - a * f) * s;
  out[2] = C * s; out[6] = (b * g - a * h) * s; out[10] = (a * e - b * d) * s;
  const x = m[at + 12]!, y = m[at + 13]!, z = m[at + 14]!;
  out[12] = -(out[0]! * x + out[4]! * y + out[8]! * z);
  out[13] = -(out[1]! * x + out[5]! * y + out[9]! * z);
  out[14] = -(out[2]! * x + out[6]! * y + out[10]! * z);
  out[3] = out[7] = out[11] = 0;
  out[15] = 1;
  return true;
}

/** Largest factor by which the matrix stretches, from above. */
export function stretch(m: Float32Array, at: number): number {
  let most = 0;
  for (let c = 0; c < 3; c++) most = Math.max(most, Math.hypot(m[at + 4 * c]!, m[at + 4 * c + 1]!, m[at + 4 * c + 2]!));
  return most;
}
