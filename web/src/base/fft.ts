// Fourier transform of a real row, radix 2 in place.
export function fft(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j]!, re[i]!];
      [im[i], im[j]] = [im[j]!, im[i]!];
    }
  }
  for (let size = 2; size <= n; size <<= 1) {
    const half = size >> 1;
    const angle = (-2 * Math.PI) / size;
    for (let k = 0; k < half; k++) {
      const c = Math.cos(angle * k), s = Math.sin(angle * k);
      for (let i = k; i < n; i += size) {
        const j = i + half;
        const x = re[j]! * c - im[j]! * s, y = re[j]! * s + im[j]! * c;
        re[j] = re[i]! - x;
        im[j] = im[i]! - y;
        re[i] = re[i]! + x;
        im[i] = im[i]! + y;
      }
    }
  }
}

/** Amplitudes of the sines in `samples` times a Hann window: a sine of amplitude 1 gives 1. */
export function spectrum(samples: ArrayLike<number>, begin: number, count: number): Float64Array {
  let n = 1;
  while (n * 2 <= count) n *= 2;
  const re = new Float64Array(n), im = new Float64Array(n);
  for (let i = 0; i < n; i++) re[i] = (samples[begin + i] ?? 0) * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / n));
  fft(re, im);
  const out = new Float64Array(n / 2);
  for (let k = 0; k < out.length; k++) out[k] = (4 / n) * Math.hypot(re[k]!, im[k]!);
  return out;
}
