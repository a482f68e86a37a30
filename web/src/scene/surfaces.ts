// Surfaces of finite elements: reference + exaggerated displacement, coloured by a field.
import {
  BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, LineSegments, Mesh, type Object3D, type ShaderMaterial, Vector2,
} from 'three';
import type { FemMesh, Header } from '../data/header';
import type { StaticData } from '../data/static';
import { edgeMaterial, fieldMaterial, lineMaterial } from './materials';
import { colourMap, memberColour, SELECTED, type Theme } from './palette';
import { copies, FloatTexture } from './texture';

export interface Surface {
  spec: FemMesh;
  reference: Float32Array;
  displacement: Float32Array;
  position: Float32Array;
  value: Float32Array;
  triangles: Uint32Array;
  mesh: Mesh;
  /** Where there are no triangles: bars, two rows each. */
  bars: { rows: FloatTexture; ends: Uint32Array; material: ShaderMaterial } | null;
}

export interface FieldChoice {
  name: string;
  unit: string;
  lo: number;
  hi: number;
}

const MAGNITUDE = '|displacement|';

export class Surfaces {
  readonly surfaces: Surface[] = [];
  readonly choices: FieldChoice[] = [];
  chosen: FieldChoice | null = null;
  exaggeration = 1;
  readonly uniforms = { map: { value: colourMap(false) }, range: { value: new Vector2(0, 1) }, use: { value: 0 } };
  private readonly maps = [this.uniforms.map.value, colourMap(true)];
  private readonly edgeMaterial = edgeMaterial();
  private readonly edgeLines: LineSegments[] = [];
  private tracks: Float32Array[];

  constructor(private readonly header: Header, data: StaticData, tracks: Float32Array[], root: Object3D, theme: Theme) {
    this.tracks = tracks;
    for (const spec of header.meshes) {
      const reference = data.f32(spec.points);
      const triangles = data.u32(spec.triangles);
      const position = new Float32Array(reference);
      const value = new Float32Array(reference.length / 3);
      const geometry = new BufferGeometry();
      const attribute = new BufferAttribute(position, 3).setUsage(DynamicDrawUsage);
      geometry.setAttribute('position', attribute);
      geometry.setAttribute('value', new BufferAttribute(value, 1).setUsage(DynamicDrawUsage));
      geometry.setIndex(new BufferAttribute(triangles, 1));
      const mesh = new Mesh(geometry, fieldMaterial(this.uniforms, 0xffffff));
      mesh.frustumCulled = false;
      mesh.matrixAutoUpdate = false;
      root.add(mesh);
      let bars: Surface['bars'] = null;
      if (triangles.length === 0 && spec.edges && spec.edges.count > 0) {
        const ends = data.u32(spec.edges);
        const rows = new FloatTexture(ends.length);
        const material = lineMaterial(rows.texture, 3, this.uniforms);
        bars = { rows, ends, material };
        const strips = new Mesh(copies([0, 1, 2, 0, 2, 3], 4, ends.length / 2), material);
        strips.frustumCulled = false;
        strips.matrixAutoUpdate = false;
        root.add(strips);
      } else if (spec.edges && spec.edges.count > 0) {
        const lines = new BufferGeometry();
        lines.setAttribute('position', attribute);
        lines.setIndex(new BufferAttribute(data.u32(spec.edges), 1));
        const object = new LineSegments(lines, this.edgeMaterial);
        object.frustumCulled = false;
        object.matrixAutoUpdate = false;
        this.edgeLines.push(object);
        root.add(object);
      }
      this.surfaces.push({ spec, reference, displacement: tracks[spec.displacement]!, position, value, triangles, mesh, bars });
      for (const field of spec.fields) {
        const known = this.choices.find((c) => c.name === field.name);
        if (known) {
          known.lo = Math.min(known.lo, field.lo);
          known.hi = Math.max(known.hi, field.hi);
        } else this.choices.push({ name: field.name, unit: field.unit, lo: field.lo, hi: field.hi });
      }
    }
    if (this.surfaces.length && !this.choices.some((c) => /displacement/i.test(c.name)))
      this.choices.push({ name: MAGNITUDE, unit: 'm', lo: 0, hi: 0 });
    this.colour(theme, -1);
  }

  choose(name: string): void {
    this.chosen = this.choices.find((c) => c.name === name) ?? null;
    this.uniforms.use.value = this.chosen ? 1 : 0;
  }
  get diverging(): boolean {
    return !!this.chosen && this.chosen.lo < 0 && this.chosen.hi > 0;
  }
  /** Range of colours: symmetric about zero where the field has both signs. */
  range(): [number, number] {
    if (!this.chosen) return [0, 1];
    const { lo, hi } = this.chosen;
    const most = Math.max(-lo, hi);
    return this.diverging ? [-most, most] : [lo, hi];
  }

  update(): void {
    for (const surface of this.surfaces) {
      const { reference, displacement, position, value, spec, mesh } = surface;
      const s = this.exaggeration;
      for (let i = 0; i < position.length; i++) position[i] = reference[i]! + s * displacement[i]!;
      mesh.geometry.getAttribute('position').needsUpdate = true;
      if (!this.chosen) {
        fillBars(surface);
        continue;
      }
      const field = spec.fields.find((f) => f.name === this.chosen!.name);
      if (field) value.set(this.tracks[field.track]!);
      else if (this.chosen.name === MAGNITUDE) this.magnitude(surface);
      else value.fill(NaN);
      mesh.geometry.getAttribute('value').needsUpdate = true;
      fillBars(surface);
    }
    this.uniforms.map.value = this.maps[this.diverging ? 1 : 0]!;
    this.uniforms.range.value.set(...this.range());
  }

  /** |u|; its range ends at the largest value so far, because the header does not contain it. */
  private magnitude({ displacement, value }: Surface): void {
    let most = this.chosen!.hi;
    for (let i = 0; i < value.length; i++) {
      const x = displacement[3 * i]!, y = displacement[3 * i + 1]!, z = displacement[3 * i + 2]!;
      const size = Math.sqrt(x * x + y * y + z * z);
      value[i] = size;
      if (size > most) most = size;
    }
    this.chosen!.hi = most;
  }

  colour(theme: Theme, body: number): void {
    const colour = new Color();
    for (const { mesh, spec, bars } of this.surfaces) {
      const material = mesh.material as ReturnType<typeof fieldMaterial>;
      memberColour(this.header, spec.body, 0, theme, colour);
      material.color.copy(spec.body === body ? colour.setHex(SELECTED) : colour);
      bars?.material.uniforms.colour!.value.copy(material.color);
      // a glow would change the colours of a field
      material.emissive.setHex(spec.body === body && !this.chosen ? 0x2a2000 : 0);
    }
    this.edgeMaterial.uniforms.colour!.value.setHex(theme.edge);
    this.edgeMaterial.uniforms.opacity!.value = theme.edgeOpacity;
  }
  resize(width: number, height: number): void {
    for (const { bars } of this.surfaces) bars?.material.uniforms.screen!.value.set(width, height);
  }
  edges(visible: boolean): void {
    for (const line of this.edgeLines) line.visible = visible;
  }
  opacity(value: number): void {
    for (const { mesh } of this.surfaces) {
      const material = mesh.material as ReturnType<typeof fieldMaterial>;
      material.opacity = value;
      material.transparent = value < 1;
      material.depthWrite = value >= 1;
      material.needsUpdate = true;
    }
  }
  triangles(): number {
    return this.surfaces.reduce((sum, s) => sum + s.triangles.length / 3, 0);
  }
}

function fillBars({ bars, position, value }: Surface): void {
  if (!bars) return;
  const out = bars.rows.array;
  for (let i = 0; i < bars.ends.length; i++) {
    const p = bars.ends[i]!;
    out[4 * i] = position[3 * p]!;
    out[4 * i + 1] = position[3 * p + 1]!;
    out[4 * i + 2] = position[3 * p + 2]!;
    out[4 * i + 3] = value[p]!;
  }
  bars.rows.touch();
}
