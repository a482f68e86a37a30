// Strings, bars and beams as lines some pixels wide, with the line at rest behind; marks are drawn with the same factor.
import { BufferGeometry, Color, DynamicDrawUsage, Float32BufferAttribute, LineSegments, Mesh, type Object3D, type ShaderMaterial } from 'three';
import type { Header, LineBody } from '../data/header';
import type { StaticData } from '../data/static';
import { edgeMaterial, lineMaterial } from './materials';
import { memberColour, ownColour, SELECTED, type Theme } from './palette';
import { copies, FloatTexture } from './texture';

export interface Line {
  spec: LineBody;
  reference: Float32Array;
  displacement: Float32Array;
  position: Float32Array;
  rows: FloatTexture;
  material: ShaderMaterial;
  rest: ShaderMaterial;
}

/** Points of a line as rows of a texture. */
function fill(rows: FloatTexture, points: Float32Array): void {
  const out = rows.array;
  for (let i = 0, at = 0; i < points.length; i += 3, at += 4) {
    out[at] = points[i]!;
    out[at + 1] = points[i + 1]!;
    out[at + 2] = points[i + 2]!;
  }
  rows.touch();
}

export class Lines {
  readonly lines: Line[] = [];
  /** Multiplies the factor that each line has of its own. */
  exaggeration = 1;
  private readonly markMaterial = edgeMaterial();
  private readonly markPoints: Float32Array;
  private readonly markNormals: Float32Array;
  private readonly markBodies: Int32Array;
  private readonly markLines: LineSegments | null = null;
  readonly marks: number;

  constructor(private readonly header: Header, data: StaticData, tracks: Float32Array[], root: Object3D, theme: Theme, private size: number) {
    for (const spec of header.lines) {
      const reference = data.f32(spec.points);
      const position = new Float32Array(reference);
      const count = reference.length / 3;
      const segments = copies([0, 1, 2, 0, 2, 3], 4, Math.max(0, count - 1));
      const rows = new FloatTexture(count), restRows = new FloatTexture(count);
      fill(rows, position);
      fill(restRows, reference);
      const material = lineMaterial(rows.texture, 3);
      const rest = lineMaterial(restRows.texture, 1);
      const restMesh = new Mesh(segments, rest);
      const mesh = new Mesh(segments, material);
      mesh.renderOrder = 2;
      for (const object of [restMesh, mesh]) {
        object.frustumCulled = false;
        object.matrixAutoUpdate = false;
        root.add(object);
      }
      this.lines.push({ spec, reference, displacement: tracks[spec.displacement]!, position, rows, material, rest });
    }
    this.markPoints = data.f32(header.marks.point);
    this.markNormals = data.f32(header.marks.normal);
    this.markBodies = data.i32(header.marks.body);
    this.marks = this.markBodies.length;
    if (this.marks) {
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new Float32BufferAttribute(new Float32Array(this.marks * 18), 3).setUsage(DynamicDrawUsage));
      this.markLines = new LineSegments(geometry, this.markMaterial);
      this.markLines.frustumCulled = false;
      root.add(this.markLines);
    }
    this.colour(theme, -1);
    this.placeMarks();
  }

  factor(line: Line): number {
    return line.spec.exaggerate * this.exaggeration;
  }

  update(): void {
    for (const line of this.lines) {
      const s = this.factor(line);
      const { position, reference, displacement, rows } = line;
      for (let i = 0; i < position.length; i++) position[i] = reference[i]! + s * displacement[i]!;
      fill(rows, position);
    }
  }

  /** A place by the line of `body`, as far from the line at rest as displacements are drawn. */
  drawn(body: number, x: number, y: number, z: number, out: Float32Array, at: number): boolean {
    const line = this.lines.find((l) => l.spec.body === body);
    if (!line) return false;
    const s = this.factor(line);
    if (s === 1) return false;
    const p = line.reference;
    let best = Infinity, fx = x, fy = y, fz = z;
    for (let i = 0; i + 5 < p.length; i += 3) {
      const ax = p[i]!, ay = p[i + 1]!, az = p[i + 2]!;
      const dx = p[i + 3]! - ax, dy = p[i + 4]! - ay, dz = p[i + 5]! - az;
      const share = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy + (z - az) * dz) / (dx * dx + dy * dy + dz * dz || 1)));
      const qx = ax + share * dx, qy = ay + share * dy, qz = az + share * dz;
      const d = (x - qx) ** 2 + (y - qy) ** 2 + (z - qz) ** 2;
      if (d < best) {
        best = d;
        fx = qx; fy = qy; fz = qz;
      }
    }
    out[at] = fx + s * (x - fx);
    out[at + 1] = fy + s * (y - fy);
    out[at + 2] = fz + s * (z - fz);
    return true;
  }

  /** A mark is a bar across the normal with a stem behind it. */
  placeMarks(): void {
    if (!this.markLines) return;
    const out = this.markLines.geometry.getAttribute('position').array as Float32Array;
    const at = new Float32Array(3);
    const half = 0.006 * this.size;
    for (let i = 0; i < this.marks; i++) {
      const x = this.markPoints[3 * i]!, y = this.markPoints[3 * i + 1]!, z = this.markPoints[3 * i + 2]!;
      if (!this.drawn(this.markBodies[i]!, x, y, z, at, 0)) at.set([x, y, z]);
      const nx = this.markNormals[3 * i]!, ny = this.markNormals[3 * i + 1]!, nz = this.markNormals[3 * i + 2]!;
      const flip = Math.abs(nx) > 0.9;
      let tx = flip ? 0 : 1 - nx * nx, ty = flip ? 1 - ny * ny : -nx * ny, tz = flip ? -ny * nz : -nx * nz;
      if (flip) tx = -nx * ny;
      const t = Math.hypot(tx, ty, tz) || 1;
      const bx = ny * tz - nz * ty, by = nz * tx - nx * tz, bz = nx * ty - ny * tx;
      const rows = [tx / t, ty / t, tz / t, bx / t, by / t, bz / t];
      for (let k = 0; k < 2; k++)
        for (let c = 0; c < 3; c++) {
          out[18 * i + 6 * k + c] = at[c]! - half * rows[3 * k + c]!;
          out[18 * i + 6 * k + 3 + c] = at[c]! + half * rows[3 * k + c]!;
        }
      out.set([at[0]!, at[1]!, at[2]!, at[0]! - 4 * half * nx, at[1]! - 4 * half * ny, at[2]! - 4 * half * nz], 18 * i + 12);
    }
    this.markLines.geometry.getAttribute('position').needsUpdate = true;
  }

  resize(width: number, height: number): void {
    for (const line of this.lines)
      for (const material of [line.material, line.rest]) material.uniforms.screen!.value.set(width, height);
  }
  colour(theme: Theme, body: number): void {
    const colour = new Color();
    for (const { spec, material, rest } of this.lines) {
      memberColour(this.header, spec.body, 0, theme, colour);
      // a colour of the scene stays as it is
      if (ownColour(this.header.bodies[spec.body], 0) < 0) colour.offsetHSL(0, theme.dark ? 0.05 : 0.1, theme.dark ? 0.12 : -0.08);
      material.uniforms.colour!.value.copy(spec.body === body ? colour.setHex(SELECTED) : colour);
      rest.uniforms.colour!.value.setHex(theme.reference);
      rest.uniforms.opacity!.value = 0.7;
    }
    this.markMaterial.uniforms.colour!.value.setHex(theme.mark);
    this.markMaterial.uniforms.opacity!.value = 0.95;
  }
  showMarks(visible: boolean): void {
    if (this.markLines) this.markLines.visible = visible;
  }
}
