// What lies under a pixel: spheres exactly, triangles one by one, lines within some pixels.
import { type Camera, Vector3 } from 'three';
import { invert, stretch } from './matrix';
import type { Lines } from './lines';
import type { Solids } from './solids';
import type { Surfaces } from './surfaces';

/** A point that stays on what it was found on. */
export interface Hit {
  body: number;
  member: number;
  distance: number;
  /** Where it is now. */
  at: (out: Vector3) => Vector3;
  node: number; // nearest point of a surface or line, -1 without
}

const inverse = new Float32Array(16);

/** Ray o + t d against triangles; least t > 0, with its triangle and shares. */
function triangles(o: Vector3, d: Vector3, points: Float32Array, index: Uint32Array): { t: number; k: number; u: number; v: number } | null {
  let best = Infinity, k = -1, bu = 0, bv = 0;
  for (let i = 0; i < index.length; i += 3) {
    const a = 3 * index[i]!, b = 3 * index[i + 1]!, c = 3 * index[i + 2]!;
    const ax = points[a]!, ay = points[a + 1]!, az = points[a + 2]!;
    const ux = points[b]! - ax, uy = points[b + 1]! - ay, uz = points[b + 2]! - az;
    const vx = points[c]! - ax, vy = points[c + 1]! - ay, vz = points[c + 2]! - az;
    const px = d.y * vz - d.z * vy, py = d.z * vx - d.x * vz, pz = d.x * vy - d.y * vx;
    const det = ux * px + uy * py + uz * pz;
    if (det === 0) continue;
    const sx = o.x - ax, sy = o.y - ay, sz = o.z - az;
    const u = (sx * px + sy * py + sz * pz) / det;
    if (u < 0 || u > 1) continue;
    const qx = sy * uz - sz * uy, qy = sz * ux - sx * uz, qz = sx * uy - sy * ux;
    const v = (d.x * qx + d.y * qy + d.z * qz) / det;
    if (v < 0 || u + v > 1) continue;
    const t = (vx * qx + vy * qy + vz * qz) / det;
    if (t > 0 && t < best) {
      best = t;
      k = i;
      bu = u;
      bv = v;
    }
  }
  return k < 0 ? null : { t: best, k, u: bu, v: bv };
}

export function pick(x: number, y: number, width: number, height: number, camera: Camera, solids: Solids, surfaces: Surfaces, lines: Lines): Hit | null {
  const ndc = { x: (2 * x) / width - 1, y: 1 - (2 * y) / height };
  const from = new Vector3(ndc.x, ndc.y, -1).unproject(camera);
  const d = new Vector3(ndc.x, ndc.y, 1).unproject(camera).sub(from).normalize();
  let best: Hit | null = pickLines(x, y, width, height, camera, from, lines);
  const o2 = new Vector3(), d2 = new Vector3();

  for (const solid of solids.solids) {
    const m = solid.matrices;
    for (const block of solid.blocks)
      for (let n = 0; n < block.count; n++) {
        const at = 16 * (block.from + n);
        const r = solid.reach * stretch(m, at);
        const cx = m[at + 12]! - from.x, cy = m[at + 13]! - from.y, cz = m[at + 14]! - from.z;
        const along = cx * d.x + cy * d.y + cz * d.z;
        if (cx * cx + cy * cy + cz * cz - along * along > r * r || along + r < 0 || (best && along - r > best.distance)) continue;
        if (!invert(m, at, inverse)) continue;
        o2.set(
          inverse[0]! * from.x + inverse[4]! * from.y + inverse[8]! * from.z + inverse[12]!,
          inverse[1]! * from.x + inverse[5]! * from.y + inverse[9]! * from.z + inverse[13]!,
          inverse[2]! * from.x + inverse[6]! * from.y + inverse[10]! * from.z + inverse[14]!);
        d2.set(
          inverse[0]! * d.x + inverse[4]! * d.y + inverse[8]! * d.z,
          inverse[1]! * d.x + inverse[5]! * d.y + inverse[9]! * d.z,
          inverse[2]! * d.x + inverse[6]! * d.y + inverse[10]! * d.z);
        let t = Infinity;
        if (solid.kind === 'sphere') {
          const a = d2.dot(d2), b = o2.dot(d2), c = o2.dot(o2) - 1;
          const root = b * b - a * c;
          if (root >= 0) t = (-b - Math.sqrt(root)) / a;
        } else t = triangles(o2, d2, solid.points, solid.triangles)?.t ?? Infinity;
        if (!(t > 0) || (best && t >= best.distance) || t === Infinity) continue;
        const own = o2.clone().addScaledVector(d2, t);
        best = {
          body: block.body, member: block.member[n]!, distance: t, node: -1,
          at: (out) => out.set(
            m[at]! * own.x + m[at + 4]! * own.y + m[at + 8]! * own.z + m[at + 12]!,
            m[at + 1]! * own.x + m[at + 5]! * own.y + m[at + 9]! * own.z + m[at + 13]!,
            m[at + 2]! * own.x + m[at + 6]! * own.y + m[at + 10]! * own.z + m[at + 14]!),
        };
      }
  }
  for (const surface of surfaces.surfaces) {
    const hit = triangles(from, d, surface.position, surface.triangles);
    if (!hit || (best && hit.t >= best.distance)) continue;
    const [a, b, c] = [0, 1, 2].map((i) => surface.triangles[hit.k + i]!) as [number, number, number];
    const w = 1 - hit.u - hit.v;
    const p = surface.position;
    best = {
      body: surface.spec.body, member: 0, distance: hit.t, node: w > hit.u && w > hit.v ? a : hit.u > hit.v ? b : c,
      at: (out) => out.set(
        w * p[3 * a]! + hit.u * p[3 * b]! + hit.v * p[3 * c]!,
        w * p[3 * a + 1]! + hit.u * p[3 * b + 1]! + hit.v * p[3 * c + 1]!,
        w * p[3 * a + 2]! + hit.u * p[3 * b + 2]! + hit.v * p[3 * c + 2]!),
    };
  }
  return best;
}

function pickLines(x: number, y: number, width: number, height: number, camera: Camera, from: Vector3, lines: Lines): Hit | null {
  const v = new Vector3();
  let least = 12; // pixels
  let best: Hit | null = null;
  for (const line of lines.lines) {
    const p = line.position;
    let lastX = 0, lastY = 0;
    for (let i = 0; i < p.length; i += 3) {
      v.set(p[i]!, p[i + 1]!, p[i + 2]!);
      const distance = v.distanceTo(from);
      v.project(camera);
      const sx = ((v.x + 1) / 2) * width, sy = ((1 - v.y) / 2) * height;
      if (i > 0) {
        const dx = sx - lastX, dy = sy - lastY;
        const share = Math.max(0, Math.min(1, ((x - lastX) * dx + (y - lastY) * dy) / (dx * dx + dy * dy || 1)));
        const off = Math.hypot(x - lastX - share * dx, y - lastY - share * dy);
        if (off < least) {
          least = off;
          const j = i - 3;
          best = {
            body: line.spec.body, member: 0, distance, node: (share < 0.5 ? j : i) / 3,
            at: (out) => out.set(p[j]! + share * (p[i]! - p[j]!), p[j + 1]! + share * (p[i + 1]! - p[j + 1]!), p[j + 2]! + share * (p[i + 2]! - p[j + 2]!)),
          };
        }
      }
      lastX = sx;
      lastY = sy;
    }
  }
  return best;
}
