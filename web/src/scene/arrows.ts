// Contact forces as arrows and contact places as points, coloured by status.
import { BufferGeometry, Mesh, type Object3D, Points, type Vector4 } from 'three';
import type { Contacts } from '../data/record';
import type { Lines } from './lines';
import { arrowMaterial, pointMaterial } from './materials';
import { copies, FloatTexture } from './texture';

/** Triangles of an arrow of six rings: shaft, underside of the head, head. */
function arrowIndex(sides: number): number[] {
  const index: number[] = [];
  for (const ring of [0, 2, 4])
    for (let i = 0; i < sides; i++) {
      const a = ring * (sides + 1) + i, b = a + sides + 1;
      index.push(a, a + 1, b, a + 1, b + 1, b);
    }
  return index;
}

/** Above this what is hidden would be a fog. */
const MOST_GHOSTS = 3000;

export class Arrows {
  /** Contacts of each status in the frame, and arrows drawn. */
  readonly byStatus = [0, 0, 0, 0];
  drawn = 0;
  largest = 0;
  scale = 1; // by the user
  unit = 0; // the force whose arrow is `length` long; 0: not known yet
  rooted = false;
  arrowsOn = true;
  pointsOn = true;
  private readonly shown = [true, true, true, true];
  private rows = new FloatTexture(1);
  private capacity = 0;
  private perArrow = 0;
  private count = 0;
  private readonly materials = [arrowMaterial(false), arrowMaterial(true)];
  private readonly pointMaterial = pointMaterial();
  private readonly meshes: Mesh[];
  private readonly points: Points;

  /** usual: length of the arrow of the usual force [m]. */
  constructor(root: Object3D, private readonly usual: number, private readonly lines: Lines) {
    this.meshes = this.materials.map((material, i) => {
      const mesh = new Mesh(new BufferGeometry(), material);
      mesh.renderOrder = 4 - i;
      return mesh;
    });
    this.points = new Points(new BufferGeometry(), this.pointMaterial);
    this.points.renderOrder = 5;
    for (const object of [...this.meshes, this.points]) {
      object.frustumCulled = false;
      object.matrixAutoUpdate = false;
      root.add(object);
    }
    this.room(64);
  }

  get length(): number {
    return this.usual * this.scale;
  }

  private room(n: number): void {
    if (this.capacity >= n) return;
    this.capacity = Math.ceil(n * 1.5);
    const sides = this.capacity > 1500 ? 4 : 7;
    const index = arrowIndex(sides);
    this.perArrow = index.length;
    this.rows.texture.dispose();
    this.rows = new FloatTexture(2 * this.capacity);
    this.meshes[0]!.geometry.dispose();
    this.points.geometry.dispose();
    const geometry = copies(index, 6 * (sides + 1), this.capacity);
    for (const mesh of this.meshes) mesh.geometry = geometry;
    this.points.geometry = copies([0], 1, this.capacity);
    for (const material of [...this.materials, this.pointMaterial]) {
      material.uniforms.rows!.value = this.rows.texture;
      if (material.uniforms.sides) material.uniforms.sides.value = sides;
    }
  }

  update(contacts: Contacts): void {
    const n = contacts.count;
    this.room(n);
    this.count = n;
    const rows = this.rows.array;
    this.byStatus.fill(0);
    this.drawn = 0;
    this.largest = 0;
    for (let i = 0; i < n; i++) {
      const s = Math.min(3, contacts.status[i]!);
      this.byStatus[s]!++;
      const at = 8 * i;
      rows[at + 3] = s;
      const a = contacts.who[4 * i]!;
      const sign = a < 0 ? -1 : 1; // the force on what moves
      const x = contacts.force[3 * i]!, y = contacts.force[3 * i + 1]!, z = contacts.force[3 * i + 2]!;
      const size = Math.sqrt(x * x + y * y + z * z);
      rows[at + 4] = sign * x;
      rows[at + 5] = sign * y;
      rows[at + 6] = sign * z;
      if (size > 0 && this.shown[s]) this.drawn++;
      if (size > this.largest) this.largest = size;
      const px = contacts.place[3 * i]!, py = contacts.place[3 * i + 1]!, pz = contacts.place[3 * i + 2]!;
      if (this.lines.lines.length && this.lines.drawn(a < 0 ? contacts.who[4 * i + 2]! : a, px, py, pz, rows, at)) continue;
      rows[at] = px;
      rows[at + 1] = py;
      rows[at + 2] = pz;
    }
    if (!this.unit && this.largest > 0) this.unit = this.largest;
    this.meshes[0]!.geometry.setDrawRange(0, n * this.perArrow);
    this.points.geometry.setDrawRange(0, n);
    this.rows.touch();
    this.look();
  }

  look(): void {
    for (const material of this.materials) {
      const u = material.uniforms;
      u.size!.value = this.length;
      u.unit!.value = this.unit || 1;
      u.width!.value = 0.027 * this.usual * Math.sqrt(this.scale);
    }
    // what is hidden shines through, the less the more there is of it
    this.materials[1]!.uniforms.opacity!.value = Math.max(0.1, 0.45 * Math.min(1, 300 / Math.max(1, this.drawn)));
    this.meshes[0]!.visible = this.arrowsOn && this.drawn > 0;
    this.meshes[1]!.visible = this.meshes[0]!.visible && this.drawn <= MOST_GHOSTS;
    this.points.visible = this.pointsOn && this.count > 0;
  }
  root(on: boolean): void {
    this.rooted = on;
    for (const material of this.materials) material.uniforms.root!.value = on ? 1 : 0;
  }
  show(status: number, visible: boolean): void {
    this.shown[status] = visible;
    for (const material of [...this.materials, this.pointMaterial])
      (material.uniforms.visible!.value as Vector4).setComponent(status, visible ? 1 : 0);
  }
  isShown(status: number): boolean {
    return this.shown[status]!;
  }
  pixelRatio(ratio: number, dark: boolean): void {
    this.pointMaterial.uniforms.pixels!.value = 7 * ratio;
    this.pointMaterial.uniforms.rim!.value.setHex(dark ? 0x12161b : 0xffffff);
  }
}
