// Numbers as they are read: SI prefixes, a true minus, powers of ten written out.
const PREFIXES: [number, string][] = [
  [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n'], [1e-12, 'p'],
];
const SUPERSCRIPT: Record<string, string> = {
  '-': '⁻', '0': '⁰', '1': '¹', '2': '²', '3': '³', '4': '⁴', '5': '⁵', '6': '⁶', '7': '⁷', '8': '⁸', '9': '⁹',
};

export const power = (exponent: number): string => '10' + [...String(exponent)].map((c) => SUPERSCRIPT[c]).join('');

/** Three significant digits by default; powers of ten outside 10^-3 .. 10^6. */
export function number(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '–' : value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) {
    if (Number.isInteger(value) && size < 1e9) return group(value);
    const [mantissa, exponent] = value.toExponential(Math.min(digits, 3) - 1).split('e');
    return minus(`${mantissa}·`) + power(Number(exponent));
  }
  if (Number.isInteger(value)) return group(value);
  return minus(String(Number(value.toPrecision(digits))));
}

const minus = (s: string): string => s.replace('-', '−');
const group = (value: number): string => minus(String(value)).replace(/\B(?=(\d{3})+$)/g, '\u202f');

/** Units whose first symbol takes a prefix: not kg, not a power such as m^2, not counts. */
function prefixed(unit: string): boolean {
  return /^(m|s|N|J|Pa|W|Hz|V|A|C|K|rad)(?![\^²³a-zA-Z])/.test(unit);
}

export interface Scale {
  factor: number;
  unit: string;
}

/** Prefix with which numbers up to `size` are between 1 and 1000. */
export function scaleFor(size: number, unit: string): Scale {
  if (!prefixed(unit) || !(size > 0) || !Number.isFinite(size)) return { factor: 1, unit: unit === '1' ? '' : pretty(unit) };
  const usable = unit === 's' ? PREFIXES.filter(([f]) => f <= 1) : PREFIXES;
  const [factor, prefix] = usable.find(([f]) => size >= f * 0.9999) ?? [1, ''];
  return { factor: 1 / factor, unit: prefix + pretty(unit) };
}

export const pretty = (unit: string): string =>
  unit.replace(/\^(-?\d+)/g, (_, n: string) => [...n].map((c) => SUPERSCRIPT[c]).join('')).replace(/\*/g, ' ');

/** 0.00123, "m" -> "1.23 mm" */
export function quantity(value: number, unit: string, digits = 4): string {
  const scale = scaleFor(Math.abs(value), unit);
  const shown = number(value * scale.factor, digits);
  return scale.unit ? `${shown}\u00a0${scale.unit}` : shown;
}

/** As many decimals as the step needs, so that the digits keep their places during playback. */
export function fixed(value: number, decimals: number): string {
  return minus(value.toFixed(Math.max(0, Math.min(9, decimals))));
}

/** 1 -> "1st", 21 -> "21st", 112 -> "112th" */
export function ordinal(n: number): string {
  const teen = n % 100 >= 11 && n % 100 <= 13;
  return `${number(n)}${teen ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')}`;
}
