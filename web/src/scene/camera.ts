// Orbit camera about a target, any axis up, perspective or parallel; mouse, pen and fingers.
import { OrthographicCamera, PerspectiveCamera, Vector3 } from 'three';

const FOV = 32;
const TAN = Math.tan(((FOV / 2) * Math.PI) / 180);
const EASE = 260; // ms

interface Pose {
  target: Vector3;
  azimuth: number;
  polar: number;
  radius: number;
}

export class OrbitCamera {
  readonly perspective = new PerspectiveCamera(FOV, 1, 0.01, 100);
  readonly parallel = new OrthographicCamera(-1, 1, 1, -1, 0.01, 100);
  orthographic = false;
  changed = true;
  /** Called on a press without a drag. */
  onClick: (x: number, y: number) => void = () => {};
  onMove: () => void = () => {};
  private size = 1;
  private aspect = 1;
  readonly up = new Vector3(0, 0, 1);
  readonly e1 = new Vector3(1, 0, 0);
  readonly e2 = new Vector3(0, 1, 0);
  private pose: Pose = { target: new Vector3(), azimuth: -1, polar: 1.1, radius: 5 };
  private from: Pose | null = null;
  private to: Pose | null = null;
  private began = 0;
  private readonly pointers = new Map<number, { x: number; y: number }>();
  private travelled = 0;

  constructor(private readonly element: HTMLElement) {
    element.addEventListener('pointerdown', (e) => this.down(e));
    element.addEventListener('pointermove', (e) => this.move(e));
    element.addEventListener('pointerup', (e) => this.release(e, true));
    element.addEventListener('pointercancel', (e) => this.release(e, false));
    element.addEventListener('contextmenu', (e) => e.preventDefault());
    element.addEventListener('wheel', (e) => {
      e.preventDefault();
      this.zoom(Math.exp(Math.max(-60, Math.min(60, e.deltaY)) * (e.deltaMode ? 0.05 : 0.0018)));
    }, { passive: false });
  }

  get active(): PerspectiveCamera | OrthographicCamera {
    return this.orthographic ? this.parallel : this.perspective;
  }
  get target(): Vector3 {
    return this.pose.target;
  }
  /** World length of one pixel at the target. */
  pixel(height: number): number {
    return (2 * this.pose.radius * TAN) / height;
  }

  setUp(x: number, y: number, z: number): void {
    this.up.set(x, y, z).normalize();
    this.e1.set(1, 0, 0);
    if (Math.abs(this.up.x) > 0.9) this.e1.set(0, 0, 1);
    if (Math.abs(this.up.y) > 0.9) this.e1.set(1, 0, 0);
    this.e1.addScaledVector(this.up, -this.e1.dot(this.up)).normalize();
    this.e2.crossVectors(this.up, this.e1);
  }
  setSize(size: number): void {
    this.size = size;
  }
  resize(width: number, height: number): void {
    this.aspect = width / Math.max(1, height);
    this.changed = true;
  }

  /** Looks from `direction` (towards the viewer) at a box so that all of it is seen. */
  look(direction: Vector3 | null, centre: Vector3, half: Vector3, jump = false): void {
    const pose = direction ? this.angles(direction) : { azimuth: this.pose.azimuth, polar: this.pose.polar };
    const { right, up, back } = this.basis(pose.azimuth, pose.polar);
    // each corner of the box inside the cone of sight, with a margin
    const corner = new Vector3();
    let radius = this.size * 1e-3;
    for (let i = 0; i < 8; i++) {
      corner.set(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
      const wide = Math.max(Math.abs(corner.dot(up)), Math.abs(corner.dot(right)) / this.aspect);
      radius = Math.max(radius, (wide * 1.14) / TAN + (this.orthographic ? 0 : corner.dot(back)));
    }
    this.goTo({ target: centre.clone(), ...pose, radius }, jump);
  }
  follow(delta: Vector3): void {
    this.pose.target.add(delta);
    this.to?.target.add(delta);
    this.from?.target.add(delta);
    this.changed = true;
  }
  zoom(factor: number): void {
    this.to = null;
    this.pose.radius = Math.max(this.size * 1e-4, Math.min(this.size * 1e3, this.pose.radius * factor));
    this.moved();
  }

  /** Moves on while easing; writes the cameras. True if the picture changes. */
  update(now: number): boolean {
    if (this.to && this.from) {
      const x = Math.min(1, (now - this.began) / EASE);
      const s = x * x * (3 - 2 * x);
      this.pose.target.lerpVectors(this.from.target, this.to.target, s);
      this.pose.azimuth = this.from.azimuth + s * (this.to.azimuth - this.from.azimuth);
      this.pose.polar = this.from.polar + s * (this.to.polar - this.from.polar);
      this.pose.radius = this.from.radius * Math.pow(this.to.radius / this.from.radius, s);
      if (x >= 1) this.to = this.from = null;
      this.changed = true;
    }
    if (!this.changed) return false;
    this.changed = false;
    const { back, up } = this.basis(this.pose.azimuth, this.pose.polar);
    const { radius, target } = this.pose;
    const far = radius + 12 * this.size;
    for (const camera of [this.perspective, this.parallel]) {
      camera.up.copy(up);
      camera.position.copy(target).addScaledVector(back, radius);
      camera.lookAt(target);
    }
    this.perspective.aspect = this.aspect;
    this.perspective.near = Math.max(radius * 0.01, radius - 12 * this.size);
    this.perspective.far = far;
    this.perspective.updateProjectionMatrix();
    const tall = radius * TAN;
    this.parallel.top = tall;
    this.parallel.bottom = -tall;
    this.parallel.right = tall * this.aspect;
    this.parallel.left = -tall * this.aspect;
    this.parallel.near = radius - far;
    this.parallel.far = far;
    this.parallel.updateProjectionMatrix();
    for (const camera of [this.perspective, this.parallel]) camera.updateMatrixWorld();
    return true;
  }

  private angles(direction: Vector3): { azimuth: number; polar: number } {
    const d = direction.clone().normalize();
    const polar = Math.acos(Math.max(-1, Math.min(1, d.dot(this.up))));
    const x = d.dot(this.e1), y = d.dot(this.e2);
    const azimuth = Math.hypot(x, y) < 1e-6 ? -Math.PI / 2 : Math.atan2(y, x);
    return { azimuth, polar };
  }
  private basis(azimuth: number, polar: number): { right: Vector3; up: Vector3; back: Vector3 } {
    const { e1, e2, up: u } = this;
    const flat = new Vector3().addScaledVector(e1, Math.cos(azimuth)).addScaledVector(e2, Math.sin(azimuth));
    const back = flat.clone().multiplyScalar(Math.sin(polar)).addScaledVector(u, Math.cos(polar));
    const up = flat.multiplyScalar(-Math.cos(polar)).addScaledVector(u, Math.sin(polar));
    return { back, up, right: new Vector3().crossVectors(up, back) };
  }
  private goTo(pose: Pose, jump: boolean): void {
    this.changed = true;
    if (jump || matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.pose = pose;
      this.to = this.from = null;
      return;
    }
    const turn = 2 * Math.PI;
    const azimuth = pose.azimuth + turn * Math.round((this.pose.azimuth - pose.azimuth) / turn);
    this.from = { ...this.pose, target: this.pose.target.clone() };
    this.to = { ...pose, azimuth };
    this.began = performance.now();
  }
  private moved(): void {
    this.changed = true;
    this.onMove();
  }

  private down(e: PointerEvent): void {
    this.element.setPointerCapture(e.pointerId);
    this.pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    if (this.pointers.size === 1) this.travelled = 0;
    else this.travelled = 1e3;
  }
  private release(e: PointerEvent, click: boolean): void {
    if (!this.pointers.delete(e.pointerId) || !click || this.pointers.size || this.travelled > 5 || e.button === 2) return;
    const box = this.element.getBoundingClientRect();
    this.onClick(e.clientX - box.left, e.clientY - box.top);
  }
  private move(e: PointerEvent): void {
    const last = this.pointers.get(e.pointerId);
    if (!last) return;
    const dx = e.clientX - last.x, dy = e.clientY - last.y;
    this.travelled += Math.abs(dx) + Math.abs(dy);
    if (this.travelled <= 5) return;
    if (this.pointers.size === 1) {
      if (e.buttons & 6 || e.shiftKey || e.ctrlKey) this.pan(dx, dy);
      else this.turn(dx, dy);
    } else if (this.pointers.size === 2) {
      const other = [...this.pointers].find(([id]) => id !== e.pointerId)![1];
      const before = Math.hypot(last.x - other.x, last.y - other.y);
      const after = Math.hypot(e.clientX - other.x, e.clientY - other.y);
      if (after > 0) this.zoom(before / after);
      this.pan(dx / 2, dy / 2);
    }
    last.x = e.clientX;
    last.y = e.clientY;
  }
  turn(dx: number, dy: number): void {
    this.to = null;
    this.pose.azimuth -= dx * 0.006;
    this.pose.polar = Math.max(0.0005, Math.min(Math.PI - 0.0005, this.pose.polar - dy * 0.006));
    this.moved();
  }
  private pan(dx: number, dy: number): void {
    this.to = null;
    const { right, up } = this.basis(this.pose.azimuth, this.pose.polar);
    const s = this.pixel(this.element.clientHeight);
    this.pose.target.addScaledVector(right, -dx * s).addScaledVector(up, dy * s);
    this.moved();
  }
}
