// The part of a plane that is drawn: within a box, and not inside what lies behind other planes.
import { Box3, Vector3 } from 'three';

/** A plane in space: a place on it and the normal, which points away from what is solid. */
export interface Plane {
  place: Vector3;
  normal: Vector3;
}

/** The box with room around it, and as far as planes that are near, so that what moves does not hang over a gap. */
export function roomFor(box: Box3, planes: Plane[], size: number): Box3 {
  const centre = box.getCenter(new Vector3());
  const room = box.clone();
  for (const { place, normal } of planes) {
    const away = normal.dot(centre) - normal.dot(place);
    if (Math.abs(away) < 1.5 * size) room.expandByPoint(centre.clone().addScaledVector(normal, -away));
  }
  const margin = 0.06 * size;
  // a flat scene still has walls of some height
  const least = new Vector3().setScalar(0.15 * size).max(room.getSize(new Vector3()));
  return new Box3().setFromCenterAndSize(room.getCenter(new Vector3()), least.addScalar(2 * margin));
}

/** Two directions in the plane, right-handed with the normal. */
export function axesOf(normal: Vector3): [Vector3, Vector3] {
  const x = Math.abs(normal.z) < 0.9 ? new Vector3(0, 0, 1).cross(normal).normalize() : new Vector3(1, 0, 0).addScaledVector(normal, -normal.x).normalize();
  return [x, normal.clone().cross(x)];
}

/** Keeps the part of a polygon where (p - place) normal >= -slack. */
function clip(points: Vector3[], { place, normal }: Plane, slack: number): Vector3[] {
  const out: Vector3[] = [];
  const height = (p: Vector3): number => (p.x - place.x) * normal.x + (p.y - place.y) * normal.y + (p.z - place.z) * normal.z + slack;
  for (let i = 0; i < points.length; i++) {
    const a = points[i]!, b = points[(i + 1) % points.length]!;
    const ha = height(a), hb = height(b);
    if (ha >= 0) out.push(a);
    if (ha >= 0 !== hb >= 0) out.push(a.clone().lerp(b, ha / (ha - hb)));
  }
  return out;
}

/** Corners of the patch, counterclockwise about the normal; fewer than three: nothing is to be seen. */
export function patch(plane: Plane, box: Box3, others: Plane[]): Vector3[] {
  const centre = box.getCenter(new Vector3());
  const reach = box.getSize(new Vector3()).length();
  const middle = centre.clone().addScaledVector(plane.normal, plane.normal.dot(plane.place) - plane.normal.dot(centre));
  const [x, y] = axesOf(plane.normal);
  const corner = (a: number, b: number): Vector3 => middle.clone().addScaledVector(x, a * reach).addScaledVector(y, b * reach);
  let points = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
  const slack = 1e-6 * reach;
  for (let c = 0; c < 3; c++) {
    const normal = new Vector3().setComponent(c, 1);
    points = clip(points, { place: box.min, normal }, slack);
    points = clip(points, { place: box.max, normal: normal.clone().negate() }, slack);
  }
  for (const other of others) {
    // the same plane twice, or one that looks the other way from the same place, takes nothing away
    const turned = Math.abs(other.normal.dot(plane.normal)) > 1 - 1e-9;
    if (turned && Math.abs(other.normal.dot(plane.place) - other.normal.dot(other.place)) < slack) continue;
    points = clip(points, other, slack);
  }
  return points.length < 3 ? [] : points;
}
