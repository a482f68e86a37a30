// Pages with made-up data that follow docs/reference/view_data.md: node test/make_sample.mjs FOLDER
// pile: 10 000 spheres with contacts; sheet: 100 000 triangles; string: with sound; mixed: blocks, pseudo-rigid, planes;
// rows: only plots; joints, links: see sample_joints.mjs; served/: the data of mixed, for a server.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { joints, links } from './sample_joints.mjs';

const out = process.argv[2] ?? 'out';
mkdirSync(out, { recursive: true });
const page = readFileSync(new URL('../dist/viewer.html', import.meta.url), 'utf8');

let seed = 7;
const random = () => ((seed = (seed * 1664525 + 1013904223) >>> 0) / 4294967296);

class Bytes {
  parts = [];
  at = 0;
  put(type, numbers) {
    const Kind = { f32: Float32Array, f64: Float64Array, u8: Uint8Array, i16: Int16Array, u16: Uint16Array, i32: Int32Array, u32: Uint32Array }[type];
    const array = Kind.from(numbers);
    const ref = { type, at: this.at, count: array.length };
    const bytes = Buffer.from(array.buffer);
    const room = Math.ceil(bytes.length / 8) * 8;
    this.parts.push(bytes, Buffer.alloc(room - bytes.length));
    this.at += room;
    return ref;
  }
  all() {
    return Buffer.concat(this.parts);
  }
}

const BYTES = { f32: 4, u16: 2, i16: 2 };
const track = (name, width, type, lo = [], hi = []) => ({ name, width, type, axes: lo.length || 1, lo, hi });
const frameBytes = (tracks) => tracks.reduce((n, t) => n + Math.ceil((BYTES[t.type] * t.width) / 4) * 4, 0);

function encode(spec, values) {
  const raw = spec.type === 'f32' ? new Float32Array(spec.width) : spec.type === 'u16' ? new Uint16Array(spec.width) : new Int16Array(spec.width);
  for (let i = 0; i < spec.width; i++) {
    const a = i % spec.axes;
    raw[i] = spec.type === 'f32' ? values[i] : spec.type === 'i16' ? Math.round(values[i] * 32767)
      : Math.max(0, Math.min(65535, Math.round(((values[i] - spec.lo[a]) / (spec.hi[a] - spec.lo[a] || 1)) * 65535)));
  }
  const bytes = Buffer.from(raw.buffer);
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}
function contactBytes(list) {
  const bytes = Buffer.alloc(52 * list.length);
  list.forEach((c, i) => {
    const at = 52 * i;
    [...c.place, ...c.normal, ...c.force, c.gap].forEach((x, k) => bytes.writeFloatLE(x, at + 4 * k));
    [c.a, c.ma, c.b, c.mb].forEach((x, k) => bytes.writeInt16LE(x > 32767 ? x - 65536 : x, at + 40 + 2 * k));
    bytes.writeUInt8(c.status, at + 48);
  });
  return bytes;
}
/** frames: list of {time, step, record: Buffer} */
function chunk(first, frames) {
  const n = frames.length;
  const size = Math.ceil((16 + 8 * n + 4 * n + 4 * (n + 1)) / 8) * 8;
  const head = Buffer.alloc(size);
  head.write('SLTF', 0, 'latin1');
  head.writeUInt32LE(first, 4);
  head.writeUInt32LE(n, 8);
  let at = 0;
  frames.forEach((f, i) => {
    head.writeDoubleLE(f.time, 16 + 8 * i);
    head.writeUInt32LE(f.step, 16 + 8 * n + 4 * i);
    head.writeUInt32LE(at, 16 + 12 * n + 4 * i);
    at += f.record.length;
  });
  head.writeUInt32LE(at, 16 + 16 * n);
  return Buffer.concat([head, ...frames.map((f) => f.record)]);
}

function header(bytes, more) {
  const empty = bytes.put('f32', []), none = bytes.put('i32', []);
  return {
    format: 'saltus-view', version: 1, title: '', file: 'sample.h5', live: false, finished: true, bodies: [],
    frames: { count: 0, time: bytes.put('f64', []), step: bytes.put('u32', []) }, decimated: { every: 1, of: 0 },
    box: [0, 0, 0, 0, 0, 0], gravity: [0, 0, -9.81], tracks: [], frame_bytes: 0, contact_bytes: 52, shapes: [],
    instances: { shape: none, body: none, member: none, place: empty, rotation: empty, scale: empty },
    poses: [], affine: [], meshes: [], lines: [], marks: { point: empty, normal: empty, body: none }, plots: [], sounds: [], joints: [],
    summary: null, provenance: { saltus: '1.0.0', written: '2026-01-05T10:00:00Z', machine: 'x86_64', threads: '2' }, cite: ['moreau1999', 'acary2008'],
    ...more,
  };
}
const PARTS = ['saltus-header', 'saltus-static', 'saltus-frames'];
function write(name, head, bytes, frames) {
  head.frame_bytes = frameBytes(head.tracks);
  const text = [JSON.stringify(head).replaceAll('<', '\\u003c'), deflateSync(bytes.all()).toString('base64'),
    deflateSync(chunk(0, frames), { level: 3 }).toString('base64')];
  const scripts = PARTS.map((id, i) => `<script type="application/${i ? 'octet-stream' : 'json'}" id="${id}">${text[i]}</script>`).join('\n');
  writeFileSync(`${out}/${name}.html`, page.replace('<!--saltus-data-->', () => scripts));
}
const instances = (bytes, list) => ({
  shape: bytes.put('i32', list.map((i) => i.shape)), body: bytes.put('i32', list.map((i) => i.body)), member: bytes.put('i32', list.map((i) => i.member ?? 0)),
  place: bytes.put('f32', list.flatMap((i) => i.place ?? [0, 0, 0])), rotation: bytes.put('f32', list.flatMap((i) => i.rotation ?? [1, 0, 0, 0])),
  scale: bytes.put('f32', list.flatMap((i) => i.scale ?? [1, 1, 1])),
});
const times = (n, end) => Array.from({ length: n }, (_, i) => (end * i) / (n - 1));
function plots(bytes, end, n = 1500) {
  const t = bytes.put('f64', times(n, end));
  const row = (f) => bytes.put('f64', times(n, end).map(f));
  const s = (name, f, note = '') => ({ name, data: row(f), note });
  const fall = (x) => Math.exp((-3 * x) / end);
  return [
    { title: 'energy', unit: 'J', log: false, time: t, series: [s('kinetic', (x) => 40 * fall(x) * Math.sin((7 * x) / end) ** 2), s('potential', (x) => 120 + 80 * fall(x)), s('total', (x) => 120 + 80 * fall(x) + 40 * fall(x) * Math.sin((7 * x) / end) ** 2)] },
    { title: 'ledger', unit: 'J', log: false, time: t, series: [s('friction', (x) => -60 * (1 - fall(x))), s('impacts', (x) => -25 * (1 - fall(x))), s('contact solver', (x) => -1e-6 * x)] },
    { title: 'unexplained', unit: 'J', log: true, time: t, series: [s('per step', (x) => 1e-12 * Math.pow(10, 3 * Math.sin((20 * x) / end)))] },
    { title: 'residual', unit: '1', log: true, time: t, series: [s('as solved', () => 1e-9 * (1 + random() * 8)), s('after the step', () => 1e-8 * (1 + random() * 3))] },
    { title: 'gap', unit: 'm', log: false, time: t, series: [s('smallest gap', (x) => -2e-6 * Math.abs(Math.sin((9 * x) / end)))] },
    { title: 'contacts', unit: '1', log: false, time: t, series: [s('count', (x) => Math.round(20000 * (1 - fall(x))))] },
    { title: 'iterations', unit: '1', log: false, time: t, series: [s('iterations', () => Math.round(40 + 60 * random())), s('passes', () => 1)] },
    { title: 'step cost', unit: 's', log: false, time: t, series: [s('step', () => 2e-3 * (1 + random()))] },
    { title: 'probe: speed of ball 17', unit: 'm/s', log: false, time: t, series: [s('v', (x) => (x < end * 0.02 ? NaN : 3 * fall(x)))] },
  ];
}
const SUMMARY = {
  complete: true, stopped: '', steps: 12000, time: 2, wall_time: 31.4, real_time_factor: 0.0637,
  energy: { start: 200, kinetic: 0.12, potential: 124.01, end: 124.13, largest: { value: 200, row: 0 } },
  ledger: { friction: -52.5, impacts: -23.37, 'contact solver': -1.2e-6 }, residual: { value: 8.9e-9, row: 811 }, residual_after: { value: 3.9e-8, row: 811 },
  gap: { value: -2.1e-6, row: 702 }, joint_gap: { value: 0, row: 0 }, penetration: 2.1e-6, unexplained_step: { value: 9.9e-10, row: 5 },
  contacts: { value: 21044, row: 11980 }, contact_steps: 11950, failed_steps: 0, iterations: 812000, passes: 12000, halvings: 0,
};

function pile() {
  const bytes = new Bytes();
  const n = 10000, side = 20, r = 0.05, count = 60, end = 2;
  const at = [], spin = [];
  for (let i = 0; i < n; i++) {
    const x = i % side, y = Math.floor(i / side) % side, z = Math.floor(i / side / side);
    at.push([(x - side / 2 + 0.3 * random()) * 2.15 * r, (y - side / 2 + 0.3 * random()) * 2.15 * r, (z + 0.5) * 2.1 * r]);
    const axis = [random() - 0.5, random() - 0.5, random() - 0.5];
    const l = Math.hypot(...axis);
    spin.push([...axis.map((a) => a / l), 6 * random()]);
  }
  const tracks = [track('grains/position', 3 * n, 'u16', [-2, -2, -0.1], [2, 2, 3]), track('grains/orientation', 4 * n, 'i16')];
  const frames = [];
  const pos = new Float64Array(3 * n), rot = new Float64Array(4 * n);
  for (let k = 0; k < count; k++) {
    const t = (end * k) / (count - 1), s = 1 - Math.exp(-2 * t);
    for (let i = 0; i < n; i++) {
      const spread = 1 + 0.5 * s * (at[i][2] / 2.6);
      pos[3 * i] = at[i][0] * spread;
      pos[3 * i + 1] = at[i][1] * spread;
      pos[3 * i + 2] = Math.max(r, at[i][2] * (1 - 0.25 * s));
      const a = spin[i][3] * s, h = Math.sin(a / 2);
      rot.set([Math.cos(a / 2), h * spin[i][0], h * spin[i][1], h * spin[i][2]], 4 * i);
    }
    const contacts = [];
    for (let i = 0; i < n && k > 3; i++) {
      const z = pos[3 * i + 2];
      const weight = 5.1 * (2.6 - z);
      const floor = z < 2 * r;
      if (i % 3 === k % 3 || floor)
        contacts.push({ place: [pos[3 * i], pos[3 * i + 1], z - r], normal: [0, 0, 1], force: [weight * 0.2 * (random() - 0.5), weight * 0.2 * (random() - 0.5), weight], gap: -1e-6 * random(),
          a: 0, ma: i, b: floor ? -1 : 0, mb: floor ? 0 : Math.max(0, i - side * side), status: random() < 0.7 ? 2 : random() < 0.8 ? 1 : 3 });
      else if (i % 11 === 0) contacts.push({ place: [pos[3 * i], pos[3 * i + 1], z - r], normal: [0, 0, 1], force: [0, 0, 0], gap: 1e-4 * random(), a: 0, ma: i, b: 0, mb: i, status: 0 });
    }
    frames.push({ time: t, step: 200 * k, record: Buffer.concat([encode(tracks[0], pos), encode(tracks[1], rot), contactBytes(contacts)]) });
  }
  const list = [{ shape: 1, body: -1 }, ...at.map((_, i) => ({ shape: 0, body: 0, member: i, scale: [r, r, r] }))];
  const head = header(bytes, {
    title: 'Ten thousand grains collapse', file: 'pile.h5', bodies: [{ name: 'grains', kind: 'rigid', scheme: 'moreau-jean', members: n, names: [] }],
    frames: { count, time: bytes.put('f64', times(count, end)), step: bytes.put('u32', times(count, 200 * (count - 1))) }, decimated: { every: 4, of: 240 },
    box: [-1.6, -1.6, 0, 1.6, 1.6, 2.7], tracks, shapes: [{ kind: 'sphere' }, { kind: 'plane' }], instances: instances(bytes, list),
    poses: [{ body: 0, position: 0, rotation: 1 }], plots: plots(bytes, end), summary: SUMMARY,
  });
  write('pile', head, bytes, frames);
}

function sheet() {
  const bytes = new Bytes();
  const nx = 500, ny = 100, count = 40, end = 0.02;
  const points = [], triangles = [], edges = [];
  for (let j = 0; j <= ny; j++) for (let i = 0; i <= nx; i++) points.push((2 * i) / nx, (0.4 * j) / ny, 0);
  const id = (i, j) => j * (nx + 1) + i;
  for (let j = 0; j < ny; j++) for (let i = 0; i < nx; i++) triangles.push(id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j), id(i + 1, j + 1), id(i, j + 1));
  for (let i = 0; i < nx; i++) edges.push(id(i, 0), id(i + 1, 0), id(i, ny), id(i + 1, ny));
  for (let j = 0; j < ny; j++) edges.push(id(0, j), id(0, j + 1), id(nx, j), id(nx, j + 1));
  const n = points.length / 3;
  const tracks = [track('sheet/displacement', 3 * n, 'u16', [-0.01, -0.01, -0.15], [0.01, 0.01, 0.15]), track('sheet/von Mises', n, 'u16', [0], [3.2e6])];
  const frames = [];
  const u = new Float64Array(3 * n), mises = new Float64Array(n);
  for (let k = 0; k < count; k++) {
    const t = (end * k) / (count - 1);
    for (let i = 0; i < n; i++) {
      const x = points[3 * i], y = points[3 * i + 1];
      u[3 * i + 2] = 0.06 * x * Math.sin(3 * x - 900 * t) + 0.03 * Math.sin(9 * y + 700 * t) * x;
      mises[i] = 3.1e6 * Math.abs(Math.cos(3 * x - 900 * t)) * (0.6 + 0.4 * Math.cos(9 * y));
    }
    const contacts = Array.from({ length: 12 }, (_, c) => ({ place: [2, 0.4 * c / 11, 0.06 * 2 * Math.sin(6 - 900 * t)], normal: [0, 0, 1], force: [20 * Math.sin(c), 0, 200 + 50 * Math.sin(k / 3 + c)], gap: 0, a: 0, ma: 0, b: -1, mb: 0, status: c % 2 ? 1 : 2 }));
    frames.push({ time: t, step: 10 * k, record: Buffer.concat([encode(tracks[0], u), encode(tracks[1], mises), contactBytes(contacts)]) });
  }
  const head = header(bytes, {
    title: 'Sheet with a travelling wave', file: 'sheet.h5', bodies: [{ name: 'sheet', kind: 'fem', scheme: 'nonsmooth-newmark', members: 1, names: [] }],
    frames: { count, time: bytes.put('f64', times(count, end)), step: bytes.put('u32', times(count, 10 * (count - 1))) }, decimated: { every: 1, of: count },
    box: [0, 0, -0.15, 2, 0.4, 0.15], gravity: null, tracks,
    meshes: [{ body: 0, points: bytes.put('f32', points), triangles: bytes.put('u32', triangles), edges: bytes.put('u32', edges), displacement: 0, fields: [{ name: 'von Mises', unit: 'Pa', track: 1, lo: 0, hi: 3.1e6 }] }],
    plots: plots(bytes, end), summary: SUMMARY,
  });
  write('sheet', head, bytes, frames);
}

function string() {
  const bytes = new Bytes();
  const n = 400, count = 300, end = 0.5, L = 0.863, rate = 44100;
  const points = [];
  for (let i = 0; i < n; i++) points.push((L * i) / (n - 1), 0, 0);
  const tracks = [track('string/displacement', 3 * n, 'u16', [0, 0, -0.004], [0, 0, 0.004])];
  const fret = (i) => L * (1 - Math.pow(2, -(i + 1) / 12));
  const frames = [];
  const u = new Float64Array(3 * n);
  for (let k = 0; k < count; k++) {
    const t = (end * k) / (count - 1);
    for (let i = 0; i < n; i++) {
      let z = 0;
      for (let m = 1; m <= 24; m++) z += (0.0036 * 1.6 * Math.sin(m * Math.PI * 0.74) / (m * m)) * Math.sin((m * Math.PI * i) / (n - 1)) * Math.cos(2 * Math.PI * 55 * m * t) * Math.exp(-(2 + 0.4 * m) * t);
      u[3 * i + 2] = Math.max(z, -0.0035);
    }
    const contacts = [];
    for (let f = 0; f < 20; f++) {
      const i = Math.round((fret(f) / L) * (n - 1));
      if (u[3 * i + 2] < -0.0012) contacts.push({ place: [fret(f), 0, -0.0014], normal: [0, 0, 1], force: [0, 0, 2 + 400 * -u[3 * i + 2]], gap: 0, a: 0, ma: 0, b: -1, mb: 0, status: 3 });
    }
    frames.push({ time: t, step: Math.round(t * rate), record: Buffer.concat([encode(tracks[0], u), contactBytes(contacts)]) });
  }
  const sound = Array.from({ length: Math.round(rate * end) }, (_, i) => {
    let v = 0;
    for (let m = 1; m <= 40; m++) v += (Math.sin(2 * Math.PI * 55 * m * (i / rate) + m) / m) * Math.exp(-((2 + 0.4 * m) * i) / rate);
    return 9000 * v;
  });
  const head = header(bytes, {
    title: 'Bass string on twenty frets', file: 'bass_on_frets.h5', bodies: [{ name: 'string', kind: 'modal', scheme: 'modal-exact', members: 1, names: [] }],
    frames: { count, time: bytes.put('f64', times(count, end)), step: bytes.put('u32', times(count, rate * end)) }, decimated: { every: 1, of: count },
    box: [0, 0, -0.004, L, 0, 0.004], gravity: null, tracks,
    lines: [{ body: 0, points: bytes.put('f32', points), displacement: 0, exaggerate: 20 }],
    marks: { point: bytes.put('f32', Array.from({ length: 20 }, (_, f) => [fret(f), 0, -0.0014 - 0.0001 * f]).flat()), normal: bytes.put('f32', Array.from({ length: 20 }, () => [0, 0, 1]).flat()), body: bytes.put('i32', Array(20).fill(0)) },
    plots: plots(bytes, end), summary: SUMMARY,
    sounds: [{ name: 'pickup', body: 0, quantity: 'velocity at 0.82 m', unit: 'm/s', rate, data: bytes.put('i16', sound), peak: 3.7 }],
  });
  write('string', head, bytes, frames);
}

function mixed() {
  const bytes = new Bytes();
  const cube = [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) => [x, y, z]))).flat();
  const faces = [0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1, 2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3];
  const cubeEdges = [0, 1, 0, 2, 0, 4, 3, 1, 3, 2, 3, 7, 5, 1, 5, 4, 5, 7, 6, 2, 6, 4, 6, 7];
  const blocks = 11, count = 120, end = 1.5;
  const rest = Array.from({ length: blocks }, (_, i) => {
    const a = Math.PI * (i / (blocks - 1));
    return { x: -1.1 * Math.cos(a), z: 0.15 + 1.1 * Math.sin(a), a: Math.PI / 2 - a };
  });
  const tracks = [track('voussoirs/position', 3 * blocks, 'f32'), track('voussoirs/orientation', 4 * blocks, 'i16'), track('jelly/centre', 6, 'f32'), track('jelly/F', 18, 'f32'), track('truss/displacement', 24, 'f32'), track('truss/stress', 8, 'f32')];
  const frames = [];
  for (let k = 0; k < count; k++) {
    const t = (end * k) / (count - 1), s = Math.max(0, t - 0.7) ** 2 * 2;
    const pos = rest.flatMap((b, i) => [b.x, 0, Math.max(0.15, b.z - s * (1 + 0.5 * Math.sin(i)))]);
    const rot = rest.flatMap((b, i) => { const a = b.a + s * Math.sin(2 * i); return [Math.cos(a / 2), 0, Math.sin(a / 2), 0]; });
    const squash = 1 + 0.25 * Math.sin(12 * t) * Math.exp(-t);
    const jelly = [0.3, -0.9, 0.25 * squash, -0.5, -0.9, 0.3 * squash];
    const F = [1 / Math.sqrt(squash), 0, 0.2 * Math.sin(8 * t), 0, 1 / Math.sqrt(squash), 0, 0, 0, squash];
    const contacts = rest.slice(1).map((b, i) => ({ place: [(b.x + rest[i].x) / 2, 0, Math.max(0.1, (b.z + rest[i].z) / 2 - s)], normal: [1, 0, 0], force: [300 * Math.cos(b.a), 20, 300 * Math.sin(b.a) + 40 * Math.sin(9 * t)], gap: i % 4 < 3 ? -1e-7 : 2e-3, a: 0, ma: i + 1, b: 0, mb: i, status: [2, 2, 1, 0][i % 4] }))
      .map((c) => (c.status === 0 ? { ...c, force: [0, 0, 0] } : c));
    contacts.push({ place: [-1.1, 0, 0], normal: [0, 0, 1], force: [80, 0, 420], gap: 0, a: 0, ma: 0, b: -1, mb: 0, status: 2 }, { place: [0.3, -0.9, 0], normal: [0, 0, 1], force: [0, 0, -150 * squash], gap: 0, a: -1, ma: 0, b: 1, mb: 0, status: 3 });
    frames.push({ time: t, step: 5 * k, record: Buffer.concat([encode(tracks[0], pos), encode(tracks[1], rot), encode(tracks[2], jelly), encode(tracks[3], [...F, ...F]),
      encode(tracks[4], Array.from({ length: 24 }, (_, i) => (i % 3 === 2 ? 0.03 * Math.sin(6 * t + i / 5) : 0))), encode(tracks[5], Array.from({ length: 8 }, (_, i) => 1e6 * Math.sin(6 * t + i))), contactBytes(contacts)]) });
  }
  const nodes = [0, 1, 2, 3].flatMap((i) => [[-0.6 + 0.4 * i, 0.6, 1.5], [-0.6 + 0.4 * i, 0.6, 1.8]]).flat();
  const truss = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 2, 4, 4, 6, 1, 3, 3, 5, 5, 7, 0, 3, 2, 5, 4, 7];
  const list = [{ shape: 2, body: -1 }, ...rest.map((_, i) => ({ shape: 1, body: 0, member: i, scale: [0.15, 0.2, 0.13] })), { shape: 0, body: 1, member: 0, scale: [0.25, 0.25, 0.25] }, { shape: 1, body: 1, member: 1, scale: [0.15, 0.15, 0.3] },
    { shape: 1, body: -1, place: [-1.5, 0, 0.1], rotation: [Math.cos(0.3), 0, Math.sin(0.3), 0], scale: [0.05, 0.5, 0.3] }];
  const head = header(bytes, {
    title: 'Arch on <moving> ground & two jellies', file: 'arch.h5', finished: false,
    bodies: [{ name: 'voussoirs', kind: 'rigid', scheme: 'moreau-jean', members: blocks, names: rest.map((_, i) => (i === 5 ? 'keystone' : `stone ${i}`)) }, { name: 'jelly', kind: 'pseudo-rigid', scheme: 'moreau-jean', members: 2, names: [] }, { name: 'truss', kind: 'fem', scheme: 'moreau-jean', members: 1, names: [] }],
    frames: { count, time: bytes.put('f64', times(count, end)), step: bytes.put('u32', times(count, 5 * (count - 1))) }, decimated: { every: 1, of: count },
    box: [-1.3, -1, 0, 1.3, 0.2, 1.4], tracks, shapes: [{ kind: 'sphere' }, { kind: 'mesh', points: bytes.put('f32', cube), triangles: bytes.put('u32', faces), edges: bytes.put('u32', cubeEdges) }, { kind: 'plane' }],
    instances: instances(bytes, list), poses: [{ body: 0, position: 0, rotation: 1 }], affine: [{ body: 1, centre: 2, deformation: 3 }],
    meshes: [{ body: 2, points: bytes.put('f32', nodes), triangles: bytes.put('u32', []), edges: bytes.put('u32', truss), displacement: 4, fields: [{ name: 'stress', unit: 'Pa', track: 5, lo: -1e6, hi: 1e6 }] }],
    plots: plots(bytes, end), joints: [{ name: 'hinge', kind: 'revolute' }], summary: { ...SUMMARY, complete: false, stopped: 'contact residual above the limit', failed_steps: 3 },
  });
  write('mixed', head, bytes, frames);
  mkdirSync(`${out}/served`, { recursive: true });
  writeFileSync(`${out}/served/view.json`, JSON.stringify(head));
  writeFileSync(`${out}/served/static.bin`, bytes.all());
  frames.forEach((frame, k) => writeFileSync(`${out}/served/frame_${k}.bin`, frame.record));
}

function rows() {
  const bytes = new Bytes();
  write('rows', header(bytes, { title: 'Probes only', file: 'rows.h5', plots: plots(bytes, 3), bodies: [{ name: 'mass', kind: 'lumped', scheme: 'd1-minus', members: 1, names: [] }] }), bytes, []);
}

for (const make of [pile, sheet, string, mixed, rows, joints, links]) {
  make({ Bytes, track, encode, header, write, instances, times, plots, SUMMARY });
  console.log(`${out}/${make.name}.html`);
}
