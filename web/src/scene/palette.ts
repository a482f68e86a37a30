// Colours of bodies, of contacts, of fields; both themes.
import { Color, DataTexture, LinearFilter, RGBAFormat, SRGBColorSpace } from 'three';
import type { Header } from '../data/header';

export interface Theme {
  dark: boolean;
  background: number;
  fixed: number; // the fixed world
  edge: number;
  edgeOpacity: number;
  grid: number;
  reference: number; // undeformed lines
  mark: number;
  joints: number[]; // a joint, its second side, drive, spring, damper
}
export const LIGHT: Theme = {
  dark: false, background: 0xf4f5f7, fixed: 0xb9bfc7, edge: 0x1b2530, edgeOpacity: 0.5, grid: 0x5d6875, reference: 0x9aa4af, mark: 0x4a5460,
  joints: [0x16283a, 0x0a7480, 0xc2185b, 0x2a7d2e, 0x8a5a00],
};
export const DARK: Theme = {
  dark: true, background: 0x12161b, fixed: 0x6a7683, edge: 0x05080b, edgeOpacity: 0.6, grid: 0x9fb0c2, reference: 0x55606c, mark: 0xb6c2ce,
  joints: [0xf2f6fa, 0x5fd6e0, 0xff6fa8, 0x7ee08a, 0xf2c14e],
};

/** sticks, slides, open, closed: blue, orange, grey, violet differ for all kinds of colour sight. */
export const STATUS_COLOURS = ['#8a94a0', '#e8792b', '#2f7de1', '#8d5bd6']; // by number of the status
export const STATUS_NAMES = ['open', 'slides', 'sticks', 'closed'];
export const STATUS_HINTS = ['open: no force', 'slides: the friction is at its limit', 'sticks: no sliding', 'closed, without friction'];

const BODIES = [0x5b8db8, 0xc9975b, 0x7aa874, 0xb5768c, 0x8c86bf, 0x5fa8a3, 0xbcae5f, 0xa98467];

/** Colour of a member: hue by body, a little lighter or darker by member so that neighbours differ. */
export function bodyColour(body: number, member: number, members: number, theme: Theme, out: Color): Color {
  if (body < 0) return out.setHex(theme.fixed);
  out.setHex(BODIES[body % BODIES.length]!);
  if (members > 1) {
    const share = ((member * 0.61803398875) % 1) - 0.5;
    out.offsetHSL(share * 0.05, 0, share * 0.14);
  }
  return out;
}

const wished = new WeakMap<{ colours?: string[] }, Int32Array>();

/** The colour that the scene gave to a member, -1 where it gave none. */
export function ownColour(body: { colours?: string[] } | undefined, member: number): number {
  if (!body?.colours?.length) return -1;
  let list = wished.get(body);
  if (!list) {
    list = Int32Array.from(body.colours, (c) => (/^#[0-9a-f]{6}$/i.test(c) ? parseInt(c.slice(1), 16) : -1));
    wished.set(body, list);
  }
  return list[member] ?? -1;
}
/** Colour of a member as drawn where it is not selected: its own, else one by its number. */
export function memberColour(header: Header, body: number, member: number, theme: Theme, out: Color): Color {
  const own = ownColour(body < 0 ? header.fixed : header.bodies[body], member);
  return own >= 0 ? out.setHex(own) : bodyColour(body, member, header.bodies[body]?.members ?? 1, theme, out);
}

export const SELECTED = 0xf5b301;

const SEQUENTIAL = ['#2a1a5e', '#34438f', '#2f6c9b', '#2b9290', '#4fb477', '#a6cf57', '#f7e35a'];
const DIVERGING = ['#2b5fb3', '#6d97cf', '#b4c7de', '#e6e4e0', '#e3b79f', '#cf7a5c', '#a8332d'];
export const stops = (diverging: boolean): string[] => (diverging ? DIVERGING : SEQUENTIAL);

/** Colour map as a texture of 256 x 1. */
export function colourMap(diverging: boolean): DataTexture {
  const list = stops(diverging).map((s) => parseInt(s.slice(1), 16));
  const bytes = new Uint8Array(256 * 4);
  for (let i = 0; i < 256; i++) {
    const x = (i / 255) * (list.length - 1);
    const k = Math.min(list.length - 2, Math.floor(x));
    for (let c = 0; c < 3; c++) {
      const shift = 16 - 8 * c;
      const a = (list[k]! >> shift) & 255;
      const b = (list[k + 1]! >> shift) & 255;
      bytes[4 * i + c] = Math.round(a + (b - a) * (x - k));
    }
    bytes[4 * i + 3] = 255;
  }
  const texture = new DataTexture(bytes, 256, 1, RGBAFormat);
  texture.colorSpace = SRGBColorSpace;
  texture.minFilter = texture.magFilter = LinearFilter;
  texture.needsUpdate = true;
  return texture;
}
