// Planes with a grid: a lone floor as a disc as wide as what moves over it, several as patches that end where they meet.
import {
  type Box3, BufferAttribute, BufferGeometry, CircleGeometry, DynamicDrawUsage, LineLoop, Matrix4, Mesh, type Object3D, type ShaderMaterial, type Vector2, Vector3,
} from 'three';
import { edgeMaterial, gridMaterial } from './materials';
import { invert } from './matrix';
import type { Theme } from './palette';
import { placePlane, type PlanePlace } from './solids';
import { patch, type Plane, roomFor } from './walls';

/** 1, 2 or 5 times a power of ten, near x from below. */
export function roundLength(x: number): number {
  const p = Math.pow(10, Math.floor(Math.log10(x)));
  const m = x / p;
  return (m >= 5 ? 5 : m >= 2 ? 2 : 1) * p;
}

interface Wall {
  source: PlanePlace;
  plane: Plane;
  mesh: Mesh;
  material: ShaderMaterial;
  border: LineLoop | null; // none: a disc
  corners: Vector3[]; // in space
  drawn: boolean;
}

const MOST_CORNERS = 32;

/** Room for a polygon as a fan, or for its border. */
function polygon(fan: boolean): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * MOST_CORNERS), 3).setUsage(DynamicDrawUsage));
  if (fan) geometry.setIndex(Array.from({ length: MOST_CORNERS - 2 }, (_, i) => [0, i + 1, i + 2]).flat());
  return geometry;
}

export class Ground {
  readonly spacing: number;
  private readonly walls: Wall[] = [];
  private readonly borderMaterial = edgeMaterial();
  private readonly room: Box3;
  private visible = true;

  constructor(planes: PlanePlace[], root: Object3D, box: Box3, private readonly centre: Vector3, radius: number, theme: Theme) {
    this.spacing = roundLength(radius / 6);
    const lone = planes.length === 1;
    for (const source of planes) {
      const material = gridMaterial();
      material.uniforms.spacing!.value = this.spacing;
      material.uniforms.radius!.value = lone ? radius * 1.9 : 1;
      material.uniforms.edge!.value = lone ? 1 : 0;
      const mesh = new Mesh(lone ? new CircleGeometry(1, 64) : polygon(true), material);
      const border = lone ? null : new LineLoop(polygon(false), this.borderMaterial);
      for (const object of [mesh, border]) {
        if (!object) continue;
        object.frustumCulled = false;
        object.matrixAutoUpdate = false;
        object.renderOrder = -1;
        root.add(object);
      }
      this.walls.push({ source, plane: { place: new Vector3(), normal: new Vector3() }, mesh, material, border, corners: [], drawn: true });
    }
    for (const wall of this.walls) this.locate(wall);
    this.room = roomFor(box, this.walls.map((w) => w.plane), 2 * radius);
    this.colour(theme);
    this.update(true);
  }

  private locate({ source, plane, mesh }: Wall): void {
    const m = new Float32Array(16);
    placePlane(source, m);
    mesh.matrix.fromArray(m);
    mesh.matrixWorldNeedsUpdate = true;
    plane.place.set(m[12]!, m[13]!, m[14]!);
    plane.normal.set(m[8]!, m[9]!, m[10]!).normalize();
  }

  update(all: boolean): void {
    for (const wall of this.walls) {
      if (!all && !wall.source.position) continue;
      this.locate(wall);
      const { mesh, material, border } = wall;
      const inverse = new Float32Array(16);
      if (!invert(mesh.matrix.elements as unknown as Float32Array, 0, inverse)) continue;
      if (border) this.cut(wall, new Matrix4().fromArray(inverse));
      else {
        const c = this.centre.clone().applyMatrix4(new Matrix4().fromArray(inverse));
        (material.uniforms.offset!.value as Vector2).set(c.x, c.y);
      }
    }
  }

  /** The patch of a wall that is not behind other fixed ones. */
  private cut(wall: Wall, inverse: Matrix4): void {
    const others = this.walls.filter((w) => w !== wall && !w.source.position).map((w) => w.plane);
    wall.corners = patch(wall.plane, this.room, others).slice(0, MOST_CORNERS);
    wall.drawn = wall.corners.length > 2;
    const border = wall.border!;
    border.matrix.copy(wall.mesh.matrix);
    border.matrixWorldNeedsUpdate = true;
    for (const { geometry } of [wall.mesh, border]) {
      const position = geometry.getAttribute('position') as BufferAttribute;
      wall.corners.forEach((corner, i) => {
        const p = corner.clone().applyMatrix4(inverse);
        position.setXYZ(i, p.x, p.y, 0);
      });
      position.needsUpdate = true;
      geometry.setDrawRange(0, geometry.index ? 3 * Math.max(0, wall.corners.length - 2) : wall.corners.length);
    }
    this.show(this.visible);
  }

  colour(theme: Theme): void {
    for (const { material } of this.walls) {
      material.uniforms.line!.value.setHex(theme.grid);
      material.uniforms.strength!.value = theme.dark ? 0.55 : 0.9;
      material.uniforms.fill!.value.setHex(theme.dark ? 0x2a323b : 0xdfe3e8);
    }
    this.borderMaterial.uniforms.colour!.value.setHex(theme.grid);
    this.borderMaterial.uniforms.opacity!.value = 0.55;
  }
  show(visible: boolean): void {
    this.visible = visible;
    for (const { mesh, border, drawn } of this.walls) {
      mesh.visible = visible && drawn;
      if (border) border.visible = mesh.visible;
    }
  }
  /** Planes that are drawn, and the corners of one (none: a disc or nothing). */
  get drawn(): number {
    return this.visible ? this.walls.filter((w) => w.drawn).length : 0;
  }
  corners(i: number): number[][] {
    return this.walls[i]?.corners.map((p) => p.toArray()) ?? [];
  }
  get count(): number {
    return this.walls.length;
  }
}
