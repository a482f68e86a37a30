// Planes as discs with a grid, as wide as what moves over them.
import { CircleGeometry, Mesh, type Object3D, type ShaderMaterial, type Vector2, Vector3 } from 'three';
import { gridMaterial } from './materials';
import type { Theme } from './palette';
import { invert } from './matrix';
import { placePlane, type PlanePlace } from './solids';

/** 1, 2 or 5 times a power of ten, near x from below. */
export function roundLength(x: number): number {
  const p = Math.pow(10, Math.floor(Math.log10(x)));
  const m = x / p;
  return (m >= 5 ? 5 : m >= 2 ? 2 : 1) * p;
}

export class Ground {
  readonly spacing: number;
  private readonly meshes: { plane: PlanePlace; mesh: Mesh; material: ShaderMaterial }[] = [];

  constructor(planes: PlanePlace[], root: Object3D, private readonly centre: Vector3, radius: number, theme: Theme) {
    this.spacing = roundLength(radius / 6);
    const disc = new CircleGeometry(1, 64);
    for (const plane of planes) {
      const material = gridMaterial();
      material.uniforms.spacing!.value = this.spacing;
      material.uniforms.radius!.value = radius * 1.9;
      const mesh = new Mesh(disc, material);
      mesh.frustumCulled = false;
      mesh.matrixAutoUpdate = false;
      mesh.renderOrder = -1;
      root.add(mesh);
      this.meshes.push({ plane, mesh, material });
    }
    this.colour(theme);
    this.update(true);
  }

  update(all: boolean): void {
    for (const { plane, mesh, material } of this.meshes) {
      if (!all && !plane.position) continue;
      const m = new Float32Array(16);
      placePlane(plane, m);
      mesh.matrix.fromArray(m);
      mesh.matrixWorldNeedsUpdate = true;
      const inverse = new Float32Array(16);
      if (!invert(m, 0, inverse)) continue;
      const c = this.centre.clone().applyMatrix4(mesh.matrix.clone().fromArray(inverse));
      (material.uniforms.offset!.value as Vector2).set(c.x, c.y);
    }
  }
  colour(theme: Theme): void {
    for (const { material } of this.meshes) {
      material.uniforms.line!.value.setHex(theme.grid);
      material.uniforms.strength!.value = theme.dark ? 0.55 : 0.9;
      material.uniforms.fill!.value.setHex(theme.dark ? 0x2a323b : 0xdfe3e8);
    }
  }
  show(visible: boolean): void {
    for (const { mesh } of this.meshes) mesh.visible = visible;
  }
  get count(): number {
    return this.meshes.length;
  }
}
