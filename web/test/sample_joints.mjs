// Samples with joints: `joints`, one of each kind in a room with walls; `links`, 5000 of them. Called by make_sample.mjs.

const CUBE = [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) => [x, y, z]))).flat();
const FACES = [0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1, 2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3];
const EDGES = [0, 1, 0, 2, 0, 4, 3, 1, 3, 2, 3, 7, 5, 1, 5, 4, 5, 7, 6, 2, 6, 4, 6, 7];

const about = (axis, angle) => [Math.cos(angle / 2), ...axis.map((a) => a * Math.sin(angle / 2))];
const times4 = ([a, b, c, d], [e, f, g, h]) => [a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g, a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const add = (a, b, s = 1) => a.map((x, i) => x + s * b[i]);
const unit = (a) => a.map((x) => x / Math.hypot(...a));
function turn(q, v) {
  const t = cross(q.slice(1), v).map((x) => 2 * x);
  return add(add(v, t, q[0]), cross(q.slice(1), t));
}
/** Orientation whose columns are x, y and their cross product. */
function columns(x, y) {
  const z = cross(x, y);
  const w = Math.sqrt(Math.max(0, 1 + x[0] + y[1] + z[2])) / 2;
  return w > 1e-3 ? [w, (y[2] - z[1]) / (4 * w), (z[0] - x[2]) / (4 * w), (x[1] - y[0]) / (4 * w)] : [0, 1, 0, 0];
}
const side = (body, member, place, axis = [0, 0, 0], axis2 = [0, 0, 0], point = -1) => ({ body, member, place, axis, axis2, point });
const joint = (name, kind, a, b, more = {}) => ({ name, kind, sides: [a, b], spring: false, damper: false, actuator: '', stops: false, broken: null, ...more });
const X = [1, 0, 0], Y = [0, 1, 0], Z = [0, 0, 1], O = [0, 0, 0];

export function joints({ Bytes, track, encode, header, write, instances, times, plots, SUMMARY }) {
  const bytes = new Bytes();
  const count = 120, end = 2.4, n = 40;
  const ARM = 0, CARRIAGE = 1, CABLE = 2, PLATE = 3, PARTS = 4;
  const list = [];
  const box = (body, member, scale, place = O) => list.push({ shape: 0, body, member, place, scale });
  const ball = (body, member, r, place = O) => list.push({ shape: 1, body, member, place, scale: [r, r, r] });
  // arm: turret, upper arm, forearm, tool; frames of the links are at their middles
  box(ARM, 0, [0.17, 0.17, 0.15]);
  box(ARM, 1, [0.055, 0.07, 0.36]);
  box(ARM, 2, [0.045, 0.05, 0.3]);
  box(ARM, 3, [0.03, 0.09, 0.07], [0, 0, 0.07]);
  box(CARRIAGE, 0, [0.13, 0.11, 0.07]);
  // cylindrical, universal (two shafts), planar, bob of the cable, two of a rigid link
  box(PARTS, 0, [0.22, 0.035, 0.035]);
  box(PARTS, 1, [0.14, 0.03, 0.03], [-0.14, 0, 0]);
  box(PARTS, 2, [0.14, 0.03, 0.03], [0.14, 0, 0]);
  box(PARTS, 3, [0.09, 0.07, 0.025]);
  ball(PARTS, 4, 0.07);
  ball(PARTS, 5, 0.06);
  box(-1, 0, [0.2, 0.2, 0.02], [-0.6, 0, 0.02]);
  box(-1, 0, [0.06, 0.06, 0.36], [-1.15, -0.62, 0.36]);
  // a floor and four walls, which look inwards
  const half = Math.SQRT1_2;
  for (const [place, rotation] of [[O, [1, 0, 0, 0]], [[-1.5, 0, 0], [half, 0, half, 0]], [[1.5, 0, 0], [half, 0, -half, 0]], [[0, 1.1, 0], [half, half, 0, 0]], [[0, -1.1, 0], [half, -half, 0, 0]]])
    list.push({ shape: 2, body: -1, place, rotation });

  const rest = Array.from({ length: n }, (_, i) => [1.1, -0.1, 1.75 - (0.8 * i) / (n - 1)]).flat();
  const plate = [];
  for (let j = 0; j <= 4; j++) for (let i = 0; i <= 8; i++) plate.push(0.55 + 0.09 * i, -0.95 + 0.07 * j, 0.75);
  const quads = [];
  for (let j = 0; j < 4; j++) for (let i = 0; i < 8; i++) { const p = 9 * j + i; quads.push(p, p + 1, p + 10, p, p + 10, p + 9); }
  const rim = [[0, 8], [8, 44], [44, 36], [36, 0]].flatMap(([a, b]) => { const step = (b - a) / (Math.abs(b - a) === 8 ? 8 : 4); return Array.from({ length: Math.abs(b - a) === 8 ? 8 : 4 }, (_, i) => [a + step * i, a + step * (i + 1)]).flat(); });
  const tracks = [track('arm/position', 12, 'f32'), track('arm/orientation', 16, 'i16'), track('carriage/position', 3, 'f32'), track('cable/displacement', 3 * n, 'f32'),
    track('plate/displacement', plate.length, 'f32'), track('parts/position', 18, 'f32'), track('parts/orientation', 24, 'i16')];

  const frames = [];
  const angles = (t) => [0.9 * Math.sin(1.7 * t), 0.35 + 0.3 * Math.sin(2.6 * t), 1.25 + 0.4 * Math.sin(3.4 * t + 1)];
  for (let k = 0; k < count; k++) {
    const t = (end * k) / (count - 1);
    const [q1, q2, q3] = angles(t);
    const r1 = about(Z, q1), r2 = times4(r1, about(Y, q2)), r3 = times4(r2, about(Y, q3));
    const r4 = times4(times4(r3, about(X, 0.5 * Math.sin(4 * t))), about(Z, 1.5 * t));
    const base = [-0.6, 0, 0.04], shoulder = add(base, turn(r1, [0, 0, 0.36])), elbow = add(shoulder, turn(r2, [0, 0, 0.7])), wrist = add(elbow, turn(r3, [0, 0, 0.6]));
    const arm = [add(base, turn(r1, [0, 0, 0.15])), add(shoulder, turn(r2, [0, 0, 0.35])), add(elbow, turn(r3, [0, 0, 0.3])), wrist].flat();
    const carriage = [0.55 + 0.4 * Math.sin(2.2 * t), 0.75, 0.14];
    const u = new Float32Array(3 * n), v = new Float32Array(plate.length);
    for (let i = 0; i < n; i++) {
      const s = i / (n - 1);
      u[3 * i] = 0.25 * s * s * Math.sin(4 * t);
      u[3 * i + 1] = 0.1 * s * Math.sin(3 * t + 2 * s);
    }
    for (let i = 0; i < plate.length; i += 3) v[i + 2] = 0.12 * ((plate[i] - 0.55) / 0.72) ** 2 * Math.sin(7 * t);
    const bob = [0, 1, 2].map((c) => rest[3 * (n - 1) + c] + u[3 * (n - 1) + c]);
    bob[2] -= 0.07;
    // universal: the first shaft turns, the cross takes the second one along
    const d1 = X, d2 = unit([1, 0.35, 0.25]);
    const a = turn(about(X, 3 * t), Y), b = unit(cross(d2, a)).map((x) => -x);
    const first = columns(d1, a), second = columns(d2, b.map((x) => -x));
    const swing = 0.9 * Math.cos(4 * t), fall = Math.max(0, t - 1.2);
    const link = t < 1.2 ? [-1.15 + 0.5 * Math.sin(swing), -0.62, 1.3 - 0.5 * Math.cos(swing)] : [-1.15 + 0.5 * Math.sin(0.9 * Math.cos(4.8)) - 0.3 * fall, -0.62, Math.max(0.06, 1.3 - 0.5 * Math.cos(0.9 * Math.cos(4.8)) - 4.9 * fall * fall)];
    const parts = [[-0.35 + 0.12 * Math.sin(2 * t), -0.78, 0.3], [0.25, -0.6, 0.25], [0.25, -0.6, 0.25], [0.35 + 0.1 * Math.cos(3 * t), -0.2 + 0.1 * Math.sin(3 * t), 0.05], bob, link].flat();
    const turned = [about(X, 4 * t), first, second, about(Z, 2 * t), [1, 0, 0, 0], [1, 0, 0, 0]].flat();
    frames.push({ time: t, step: 10 * k, record: Buffer.concat([[tracks[0], arm], [tracks[1], [r1, r2, r3, r4].flat()], [tracks[2], carriage], [tracks[3], u], [tracks[4], v], [tracks[5], parts], [tracks[6], turned]].map(([spec, values]) => encode(spec, values))) });
  }

  const W = -1;
  const made = [
    joint('turret', 'revolute', side(W, 0, [-0.6, 0, 0.04], Z, X), side(ARM, 0, [0, 0, -0.15], Z, X), { actuator: 'servo', stops: true }),
    joint('shoulder', 'revolute', side(ARM, 0, [0, 0, 0.21], Y, Z), side(ARM, 1, [0, 0, -0.35], Y, Z), { actuator: 'motor', spring: true }),
    joint('elbow', 'revolute', side(ARM, 1, [0, 0, 0.35], Y, Z), side(ARM, 2, [0, 0, -0.3], Y, Z), { actuator: 'servo', damper: true }),
    joint('wrist', 'ball', side(ARM, 2, [0, 0, 0.3], Z, X), side(ARM, 3, O, Z, X), { spring: true }),
    joint('rail', 'prismatic', side(W, 0, [0.55, 0.75, 0.14], X, Z), side(CARRIAGE, 0, O, X, Z), { actuator: 'drive' }),
    joint('spring', 'line', side(W, 0, [-0.6, 0.75, 0.14]), side(CARRIAGE, 0, [-0.13, 0, 0]), { spring: true }),
    joint('cable clamp', 'fixed', side(W, 0, [1.1, -0.1, 1.75]), side(CABLE, 0, [1.1, -0.1, 1.75], O, O, 0)),
    joint('bob', 'ball', side(CABLE, 0, [1.1, -0.1, 0.95], O, O, n - 1), side(PARTS, 4, [0, 0, 0.07])),
    joint('damper', 'line', side(W, 0, [1.27, -0.67, 0.02]), side(PLATE, 0, [1.27, -0.67, 0.75], O, O, 44), { damper: true }),
    joint('spindle', 'cylindrical', side(W, 0, [-0.35, -0.78, 0.3], X, Z), side(PARTS, 0, O, X, Z), { actuator: 'force' }),
    joint('cross', 'universal', side(PARTS, 1, O, Y), side(PARTS, 2, O, Z, Y)),
    joint('table', 'planar', side(W, 0, [0.35, -0.2, 0.025], Z, X), side(PARTS, 3, [0, 0, -0.025], Z, X)),
    joint('weak link', 'distance', side(W, 0, [-1.15, -0.62, 1.3]), side(PARTS, 5, O), { broken: 1.2 }),
    joint('tether', 'line', side(ARM, 3, [0, 0, 0.14]), side(CARRIAGE, 0, [0, 0, 0.07])),
    joint('guide', 'along', side(W, 0, [0.55, -0.67, 0.75], Y), side(PLATE, 0, [0.55, -0.67, 0.75], O, O, 36)),
    { name: 'old', kind: 'revolute' },
  ];
  const t = bytes.put('f64', times(600, end));
  const own = (title, unitOf, f) => ({ title, unit: unitOf, log: false, own: true, time: t, series: [{ name: title, data: bytes.put('f64', times(600, end).map(f)) }] });
  const head = header(bytes, {
    title: 'Arm, slider, cable and other joints', file: 'joints.h5',
    bodies: [
      { name: 'arm', kind: 'rigid', scheme: 'moreau-jean', members: 4, names: ['turret', 'upper arm', 'forearm', 'tool'], colours: ['#4a5a6a', '#e0a030', '#e0a030', ''] },
      { name: 'carriage', kind: 'rigid', scheme: 'moreau-jean', members: 1, names: [], colours: ['#d02525'] },
      { name: 'cable', kind: 'beam', scheme: 'generalized-alpha', members: 1, names: [], colours: ['#00807a'] },
      { name: 'plate', kind: 'fem', scheme: 'moreau-jean', members: 1, names: [], colours: ['#2f9e44'] },
      { name: 'parts', kind: 'rigid', scheme: 'moreau-jean', members: 6, names: ['', 'shaft', 'driven shaft', '', '', ''] }],
    frames: { count, time: bytes.put('f64', times(count, end)), step: bytes.put('u32', times(count, 10 * (count - 1))) }, decimated: { every: 1, of: count },
    box: [-1.2, -0.95, 0, 1.35, 0.86, 1.75], tracks,
    shapes: [{ kind: 'mesh', points: bytes.put('f32', CUBE), triangles: bytes.put('u32', FACES), edges: bytes.put('u32', EDGES) }, { kind: 'sphere' }, { kind: 'plane' }],
    instances: instances(bytes, list), poses: [{ body: ARM, position: 0, rotation: 1 }, { body: CARRIAGE, position: 2, rotation: null }, { body: PARTS, position: 5, rotation: 6 }],
    meshes: [{ body: PLATE, points: bytes.put('f32', plate), triangles: bytes.put('u32', quads), edges: bytes.put('u32', rim), displacement: 4, fields: [] }],
    lines: [{ body: CABLE, points: bytes.put('f32', rest), displacement: 3, exaggerate: 1 }],
    plots: [...plots(bytes, end), own('angle of the elbow', 'rad', (x) => angles(x)[2]), own('carriage', 'm', (x) => 0.4 * Math.sin(2.2 * x))],
    joints: made, summary: SUMMARY,
  });
  write('joints', head, bytes, frames);
}

export function links({ Bytes, track, encode, header, write, instances, times, plots, SUMMARY }) {
  const bytes = new Bytes();
  const n = 5001, count = 30, end = 1, wide = 71;
  const tracks = [track('links/position', 3 * n, 'f32'), track('links/orientation', 4 * n, 'i16')];
  const at = (i, t) => { const y = Math.floor(i / wide), x = y % 2 ? wide - 1 - (i % wide) : i % wide; return [0.05 * x, 0.05 * y, 0.3 * Math.sin(0.2 * x + 3 * t) * Math.cos(0.2 * y)]; };
  const frames = [];
  for (let k = 0; k < count; k++) {
    const t = (end * k) / (count - 1);
    const all = Array.from({ length: n }, (_, i) => i);
    frames.push({ time: t, step: k, record: Buffer.concat([encode(tracks[0], all.flatMap((i) => at(i, t))), encode(tracks[1], all.flatMap((i) => about(X, t + i)))]) });
  }
  const kinds = [['revolute', { actuator: 'servo' }], ['ball', {}], ['line', { spring: true }], ['prismatic', {}], ['fixed', {}]];
  const made = Array.from({ length: n - 1 }, (_, i) => {
    const [kind, more] = kinds[i % kinds.length];
    return joint(`joint ${i}`, kind, side(0, i, [0.02, 0, 0], X), side(0, i + 1, [-0.02, 0, 0], X), more);
  });
  write('links', header(bytes, {
    title: 'Five thousand joints', file: 'links.h5', bodies: [{ name: 'links', kind: 'rigid', scheme: 'moreau-jean', members: n, names: Array.from({ length: n }, (_, i) => `link ${i}`) }],
    frames: { count, time: bytes.put('f64', times(count, end)), step: bytes.put('u32', times(count, count - 1)) }, decimated: { every: 1, of: count },
    box: [0, 0, -0.3, 3.5, 3.55, 0.3], tracks, shapes: [{ kind: 'sphere' }], instances: instances(bytes, Array.from({ length: n }, (_, i) => ({ shape: 0, body: 0, member: i, scale: [0.015, 0.015, 0.015] }))),
    poses: [{ body: 0, position: 0, rotation: 1 }], plots: plots(bytes, end), joints: made, summary: SUMMARY,
  }), bytes, frames);
}
