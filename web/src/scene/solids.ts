// Shapes on rigid, particle and pseudo-rigid bodies: one draw a shape, matrices and colours in a texture written in place.
import { BufferAttribute, type BufferGeometry, Color, CustomBlending, InstancedBufferGeometry, LineSegments, Mesh, NormalBlending, type Object3D, type ShaderMaterial } from 'three';
import type { Header, Shape } from '../data/header';
import type { StaticData } from '../data/static';
import { compose, multiply, stretch } from './matrix';
import { memberColour, SELECTED, type Theme } from './palette';
import { placedEdgeMaterial, placedMaterial, sphereMaterial } from './materials';
import { copies, FloatTexture } from './texture';

/** Instances of one shape on one body, side by side. */
interface Block {
  body: number;
  from: number;
  count: number;
  member: Int32Array;
  local: Float32Array; // 16 an instance
  scale: Float32Array; // 3 an instance, where the frame is that of the member
  plain: boolean; // no place, no rotation: the quick way
  position: Float32Array | null;
  rotation: Float32Array | null;
  deformation: Float32Array | null;
}

export interface Solid {
  kind: 'sphere' | 'mesh';
  count: number;
  rows: FloatTexture;
  matrices: Float32Array; // 16 an instance, of `rows`
  blocks: Block[];
  points: Float32Array; // of the shape, for picking; none for spheres
  triangles: Uint32Array;
  reach: number; // distance of the farthest point of the shape from its origin
  triangleCount: number; // of one instance
}

/** A plane is drawn as a grid by another file; it needs only its matrix. */
export interface PlanePlace {
  body: number;
  member: number;
  local: Float32Array;
  position: Float32Array | null;
  rotation: Float32Array | null;
}

const scratch = new Float32Array(32);
const MOST_INDICES = 12_000_000; // of one list; above that real instances, which are slow but small

function instanced(index: Uint32Array, count: number): BufferGeometry {
  const geometry = new InstancedBufferGeometry();
  geometry.setIndex(new BufferAttribute(index, 1));
  geometry.instanceCount = count;
  return geometry;
}

export class Solids {
  readonly solids: Solid[] = [];
  readonly planes: PlanePlace[] = [];
  /** Spheres are lit by a shader of their own; the stage tells it of the light. */
  readonly sphereMaterials: ShaderMaterial[] = [];
  private readonly meshMaterials: ReturnType<typeof placedMaterial>[] = [];
  private readonly edgeLines: { lines: LineSegments; material: ShaderMaterial }[] = [];
  instances = 0;

  constructor(
    private readonly header: Header,
    data: StaticData,
    tracks: Float32Array[],
    private readonly root: Object3D,
    private theme: Theme,
  ) {
    const columns = header.instances;
    const shape = data.i32(columns.shape), body = data.i32(columns.body), member = data.i32(columns.member);
    const place = data.f32(columns.place), rotation = data.f32(columns.rotation), scale = data.f32(columns.scale);
    this.instances = shape.length;
    const order = Array.from(shape.keys()).sort((i, j) => shape[i]! - shape[j]! || body[i]! - body[j]! || i - j);
    const localOf = (i: number, out: Float32Array, at: number): void =>
      compose(out, at, place[3 * i]!, place[3 * i + 1]!, place[3 * i + 2]!, rotation[4 * i]!, rotation[4 * i + 1]!,
        rotation[4 * i + 2]!, rotation[4 * i + 3]!, scale[3 * i]!, scale[3 * i + 1]!, scale[3 * i + 2]!);
    for (let k = 0; k < order.length; ) {
      const s = shape[order[k]!]!;
      let end = k;
      while (end < order.length && shape[order[end]!] === s) end++;
      const spec = header.shapes[s];
      if (!spec) throw new Error(`header: instance of shape ${s}, there are ${header.shapes.length}`);
      const blocks: Block[] = [];
      for (let b = k; b < end; ) {
        const owner = body[order[b]!]!;
        let stop = b;
        while (stop < end && body[order[stop]!] === owner) stop++;
        const list = order.slice(b, stop);
        const block = this.block(owner, b - k, list.length, tracks);
        list.forEach((i, n) => {
          block.member[n] = member[i]!;
          localOf(i, block.local, 16 * n);
          block.scale.set(scale.subarray(3 * i, 3 * i + 3), 3 * n);
          const still = place[3 * i] === 0 && place[3 * i + 1] === 0 && place[3 * i + 2] === 0;
          if (!still || Math.abs(rotation[4 * i]!) < 1) block.plain = false;
        });
        blocks.push(block);
        b = stop;
      }
      if (spec.kind === 'plane') this.takePlanes(blocks);
      else this.makeSolid(spec, data, blocks, end - k);
      k = end;
    }
    this.colour(theme, -1, -1);
  }

  private block(body: number, from: number, count: number, tracks: Float32Array[]): Block {
    const pose = this.header.poses.find((p) => p.body === body);
    const affine = this.header.affine.find((p) => p.body === body);
    return {
      body, from, count,
      member: new Int32Array(count),
      local: new Float32Array(16 * count),
      scale: new Float32Array(3 * count),
      plain: true,
      position: pose ? tracks[pose.position]! : affine ? tracks[affine.centre]! : null,
      rotation: pose && pose.rotation !== null ? tracks[pose.rotation]! : null,
      deformation: affine ? tracks[affine.deformation]! : null,
    };
  }

  private takePlanes(blocks: Block[]): void {
    for (const block of blocks)
      for (let n = 0; n < block.count; n++)
        this.planes.push({
          body: block.body, member: block.member[n]!, local: block.local.slice(16 * n, 16 * n + 16),
          position: block.position, rotation: block.rotation,
        });
  }

  private makeSolid(spec: Shape, data: StaticData, blocks: Block[], count: number): void {
    const rows = new FloatTexture(4 * count);
    let points = new Float32Array(0), triangles = new Uint32Array(0);
    let reach = 1;
    let mesh: Mesh;
    if (spec.kind === 'sphere') {
      // a square that faces the viewer; the shader finds the ball in it
      const material = sphereMaterial(rows.texture);
      this.sphereMaterials.push(material);
      mesh = new Mesh(copies([0, 1, 2, 0, 2, 3], 4, count), material);
    } else {
      points = data.f32(spec.points!) as Float32Array<ArrayBuffer>;
      triangles = data.u32(spec.triangles!) as Uint32Array<ArrayBuffer>;
      const vertices = points.length / 3;
      const shape = new FloatTexture(vertices);
      reach = 0;
      for (let i = 0; i < vertices; i++) {
        shape.array.set(points.subarray(3 * i, 3 * i + 3), 4 * i);
        reach = Math.max(reach, Math.hypot(points[3 * i]!, points[3 * i + 1]!, points[3 * i + 2]!));
      }
      const list = count * triangles.length <= MOST_INDICES;
      const material = placedMaterial(rows.texture, shape.texture, vertices, list);
      this.meshMaterials.push(material);
      mesh = new Mesh(list ? copies(triangles, vertices, count) : instanced(triangles, count), material);
      if (spec.edges && spec.edges.count > 0) {
        const edges = data.u32(spec.edges);
        const fits = count * edges.length <= MOST_INDICES;
        const edgeMaterial = placedEdgeMaterial(rows.texture, shape.texture, vertices, fits);
        const lines = new LineSegments(fits ? copies(edges, vertices, count) : instanced(edges, count), edgeMaterial);
        lines.frustumCulled = false;
        lines.matrixAutoUpdate = false;
        this.edgeLines.push({ lines, material: edgeMaterial });
        this.root.add(lines);
      }
    }
    mesh.frustumCulled = false; // culling would need bounds of all instances anew each frame
    mesh.matrixAutoUpdate = false;
    this.root.add(mesh);
    this.solids.push({
      kind: spec.kind === 'sphere' ? 'sphere' : 'mesh', count, rows, matrices: rows.array, blocks, points, triangles, reach,
      triangleCount: spec.kind === 'sphere' ? 2 : triangles.length / 3,
    });
  }

  /** Writes the matrices of what moves. */
  update(all: boolean): void {
    for (const solid of this.solids) {
      let touched = all;
      for (const block of solid.blocks) {
        if (!all && !block.position) continue;
        touched = true;
        place(block, solid.matrices);
      }
      if (touched) solid.rows.touch();
    }
  }

  colour(theme: Theme, body: number, member: number): void {
    this.theme = theme;
    const colour = new Color();
    for (const solid of this.solids) {
      const out = solid.matrices;
      for (const block of solid.blocks) {
        for (let n = 0; n < block.count; n++) {
          const selected = body >= 0 && block.body === body && (member < 0 || block.member[n] === member);
          if (selected) colour.setHex(SELECTED);
          else memberColour(this.header, block.body, block.member[n]!, this.theme, colour);
          const at = 16 * (block.from + n);
          out[at + 3] = colour.r;
          out[at + 7] = colour.g;
          out[at + 11] = colour.b;
        }
      }
      solid.rows.touch();
    }
    for (const { material } of this.edgeLines) {
      material.uniforms.colour!.value.setHex(theme.edge);
      material.uniforms.opacity!.value = theme.edgeOpacity;
    }
  }

  edges(visible: boolean): void {
    for (const { lines } of this.edgeLines) lines.visible = visible;
  }
  opacity(value: number): void {
    for (const material of this.meshMaterials) {
      material.opacity = value;
      material.transparent = value < 1;
      material.depthWrite = value >= 1;
      material.needsUpdate = true;
    }
    for (const material of this.sphereMaterials) {
      material.uniforms.opacity!.value = value;
      material.transparent = value < 1;
      material.alphaToCoverage = value >= 1;
      material.blending = value < 1 ? NormalBlending : CustomBlending;
      material.depthWrite = value >= 1;
      material.needsUpdate = true;
    }
  }

  /** Every moving instance: centre and reach. */
  bounds(visit: (x: number, y: number, z: number, reach: number, moves: boolean, body: number, member: number) => void): void {
    for (const solid of this.solids)
      for (const block of solid.blocks)
        for (let n = 0; n < block.count; n++) {
          const at = 16 * (block.from + n);
          const m = solid.matrices;
          visit(m[at + 12]!, m[at + 13]!, m[at + 14]!, solid.reach * stretch(m, at), block.body >= 0, block.body, block.member[n]!);
        }
  }
  triangles(): number {
    return this.solids.reduce((sum, s) => sum + s.triangleCount * s.count, 0);
  }
}

function place(block: Block, out: Float32Array): void {
  const { position, rotation, deformation, local, member, scale } = block;
  if (!position) {
    for (let n = 0; n < block.count; n++)
      for (let c = 0; c < 16; c++) if (c % 4 < 3) out[16 * (block.from + n) + c] = local[16 * n + c]!;
    return;
  }
  for (let n = 0; n < block.count; n++) {
    const m = member[n]!;
    const at = 16 * (block.from + n);
    const px = position[3 * m]!, py = position[3 * m + 1]!, pz = position[3 * m + 2]!;
    if (deformation) {
      for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) scratch[4 * c + r] = deformation[9 * m + 3 * r + c]!;
      scratch[12] = px; scratch[13] = py; scratch[14] = pz;
      multiply(out, at, scratch, 0, local, 16 * n);
      continue;
    }
    const w = rotation ? rotation[4 * m]! : 1;
    const x = rotation ? rotation[4 * m + 1]! : 0;
    const y = rotation ? rotation[4 * m + 2]! : 0;
    const z = rotation ? rotation[4 * m + 3]! : 0;
    if (block.plain) compose(out, at, px, py, pz, w, x, y, z, scale[3 * n]!, scale[3 * n + 1]!, scale[3 * n + 2]!);
    else {
      compose(scratch, 0, px, py, pz, w, x, y, z, 1, 1, 1);
      multiply(out, at, scratch, 0, local, 16 * n);
    }
  }
}

/** World matrix of a plane. */
export function placePlane(plane: PlanePlace, out: Float32Array): void {
  out[15] = 1;
  if (!plane.position) {
    for (let c = 0; c < 15; c++) out[c] = plane.local[c]!;
    return;
  }
  const m = plane.member;
  const r = plane.rotation;
  compose(scratch, 0, plane.position[3 * m]!, plane.position[3 * m + 1]!, plane.position[3 * m + 2]!,
    r ? r[4 * m]! : 1, r ? r[4 * m + 1]! : 0, r ? r[4 * m + 2]! : 0, r ? r[4 * m + 3]! : 0, 1, 1, 1);
  multiply(out, 0, scratch, 0, plane.local, 0);
}
