// The 3-D view: everything that is drawn, the camera, what lies under a click. Draws only when something changed.
import { Box3, Color, DirectionalLight, HemisphereLight, Scene, Vector3, WebGLRenderer } from 'three';
import type { Header } from '../data/header';
import type { StaticData } from '../data/static';
import type { Record } from '../data/record';
import { Arrows } from './arrows';
import { OrbitCamera } from './camera';
import { Ground } from './ground';
import { Joints } from './joints';
import { Lines } from './lines';
import { LIGHT, type Theme } from './palette';
import { type Hit, pick } from './pick';
import { Solids } from './solids';
import { Surfaces } from './surfaces';

export type View = 'x' | 'y' | 'z' | 'iso' | 'fit' | 'home';

export class Stage {
  readonly camera: OrbitCamera;
  readonly solids: Solids;
  readonly surfaces: Surfaces;
  readonly lines: Lines;
  readonly arrows: Arrows;
  readonly ground: Ground;
  readonly joints: Joints;
  /** Draws over pictures that are saved: names. */
  paint: (g: CanvasRenderingContext2D, ratio: number) => void = () => {};
  readonly canvas: HTMLCanvasElement;
  readonly size: number; // of the scene: a length to scale things with
  width = 1;
  height = 1;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly light = new DirectionalLight(0xffffff, 2.1);
  private readonly sky = new HemisphereLight(0xffffff, 0x8a8f98, 1.5);
  private theme: Theme = LIGHT;
  private readonly box: Box3;
  private readonly home: Vector3;
  private dirty = true;

  /** Throws where there is no WebGL. */
  constructor(private readonly parent: HTMLElement, header: Header, data: StaticData, private readonly record: Record) {
    this.renderer = new WebGLRenderer({ antialias: true, powerPreference: 'high-performance' });
    this.canvas = this.renderer.domElement;
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', `3-D view of ${header.title}`);
    parent.prepend(this.canvas);
    this.scene.matrixWorldAutoUpdate = true;
    this.scene.add(this.light, this.light.target, this.sky);
    this.camera = new OrbitCamera(this.canvas);

    this.solids = new Solids(header, data, record.tracks, this.scene, this.theme);
    this.surfaces = new Surfaces(header, data, record.tracks, this.scene, this.theme);
    this.solids.update(true);
    const still = new Box3(new Vector3(...header.box.slice(0, 3)), new Vector3(...header.box.slice(3, 6)));
    this.box = this.bounds(still, header, data);
    const size = this.box.getSize(new Vector3());
    this.size = Math.max(size.length(), 1e-9);
    this.lines = new Lines(header, data, record.tracks, this.scene, this.theme, this.size);
    this.stretchByLines(header);
    this.arrows = new Arrows(this.scene, this.usualLength(), this.lines);
    this.ground = new Ground(this.solids.planes, this.scene, this.box, this.box.getCenter(new Vector3()), Math.max(size.length() / 2, 1e-9), this.theme);
    this.joints = new Joints(header, this.solids, this.surfaces, this.lines, record.tracks, this.scene, this.size);

    this.camera.setSize(this.size);
    const up = this.upAxis(header);
    this.camera.setUp(up.x, up.y, up.z);
    this.home = this.homeDirection(header, up);
    if (this.flat) this.camera.orthographic = true;
    this.resize();
    this.view('home', true);
  }

  /** Two-dimensional: drawn in parallel projection along the thin axis. */
  private flat = false;

  private bounds(box: Box3, header: Header, data: StaticData): Box3 {
    const all = box.clone();
    if (!(all.max.x >= all.min.x)) all.makeEmpty();
    const p = new Vector3();
    this.solids.bounds((x, y, z, reach, moves) => {
      if (!moves) return;
      all.expandByPoint(p.set(x - reach, y - reach, z - reach)).expandByPoint(p.set(x + reach, y + reach, z + reach));
    });
    for (const { reference } of this.surfaces.surfaces) for (let i = 0; i < reference.length; i += 3) all.expandByPoint(p.fromArray(reference, i));
    for (const line of header.lines) {
      const points = data.f32(line.points);
      for (let i = 0; i < points.length; i += 3) all.expandByPoint(p.fromArray(points, i));
    }
    const diagonal = all.isEmpty() ? 0 : all.getSize(new Vector3()).length();
    // fixed things that are not much larger than what moves belong to the picture
    this.solids.bounds((x, y, z, reach, moves) => {
      if (moves || (diagonal > 0 && reach > 2 * diagonal)) return;
      all.expandByPoint(p.set(x - reach, y - reach, z - reach)).expandByPoint(p.set(x + reach, y + reach, z + reach));
    });
    // so does where bodies are joined to the world, as the pivot of a pendulum
    for (const side of header.joints.flatMap((joint) => joint.sides ?? []))
      if (side.body < 0 && diagonal > 0 && all.distanceToPoint(p.fromArray(side.place)) < diagonal) all.expandByPoint(p);
    if (all.isEmpty()) all.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
    return all;
  }

  /** Room for what lines do when exaggerated: their tracks tell the range. */
  private stretchByLines(header: Header): void {
    for (const line of this.lines.lines) {
      const track = header.tracks[line.spec.displacement]!;
      if (track.type !== 'u16') continue;
      const s = this.lines.factor(line);
      const at = new Vector3();
      for (const limit of [track.lo, track.hi])
        for (let i = 0; i < line.reference.length; i += 3)
          this.box.expandByPoint(at.fromArray(line.reference, i).add(new Vector3(limit[0], limit[1], limit[2]).multiplyScalar(s)));
    }
  }

  /** Of an arrow: a share of the scene, and not much more than the bodies where they are many. */
  private usualLength(): number {
    const reaches: number[] = [];
    this.solids.bounds((_x, _y, _z, reach, moves) => {
      if (moves) reaches.push(reach);
    });
    const median = reaches.sort((a, b) => a - b)[reaches.length >> 1] ?? Infinity;
    return Math.min(0.12 * this.size, Math.max(4 * median, 0.015 * this.size));
  }

  private upAxis(header: Header): Vector3 {
    const g = header.gravity ? new Vector3(...header.gravity).negate() : new Vector3();
    if (g.length() > 0) {
      const [x, y, z] = [Math.abs(g.x), Math.abs(g.y), Math.abs(g.z)];
      if (y > x && y > z) return new Vector3(0, Math.sign(g.y), 0);
      if (x > y && x > z) return new Vector3(Math.sign(g.x), 0, 0);
      if (g.z !== 0) return new Vector3(0, 0, Math.sign(g.z));
    }
    return new Vector3(0, 0, 1);
  }

  private homeDirection(header: Header, up: Vector3): Vector3 {
    const size = this.box.getSize(new Vector3());
    const axes = [size.x, size.y, size.z];
    const most = Math.max(...axes);
    const thin = axes.indexOf(Math.min(...axes));
    const onlyLines = this.lines.lines.length > 0 && !this.solids.instances && !this.surfaces.surfaces.length;
    const unit = (i: number, sign: number): Vector3 => new Vector3(i === 0 ? sign : 0, i === 1 ? sign : 0, i === 2 ? sign : 0);
    // along y one looks from the front (from -y), so that x points to the right where z is up
    const front = (i: number): Vector3 => unit(i, i === 1 && Math.abs(up.z) > 0.5 ? -1 : 1);
    if (onlyLines || axes[thin]! < 1e-3 * most) {
      const axis = onlyLines && axes.filter((a) => a < 1e-3 * most).length > 1 ? [0, 1, 2].find((i) => i !== axes.indexOf(most) && Math.abs(up.getComponent(i)) < 0.5)! : thin;
      if (Math.abs(up.getComponent(axis)) < 0.5 || !onlyLines) {
        this.flat = true;
        return front(axis);
      }
    }
    if (header.lines.length && onlyLines) {
      this.flat = true;
      return front(1);
    }
    return this.iso();
  }
  private iso(): Vector3 {
    const up = this.camera.up;
    return new Vector3().addScaledVector(this.camera.e1, 0.62).addScaledVector(this.camera.e2, -1).addScaledVector(up, 0.52);
  }

  view(name: View, jump = false): void {
    const direction: { [K in View]: Vector3 | null } = {
      x: new Vector3(1, 0, 0), y: new Vector3(0, -1, 0), z: new Vector3(0, 0, 1), iso: this.iso(), fit: null, home: this.home,
    };
    const box = name === 'fit' ? this.present() : this.box;
    this.camera.look(direction[name], box.getCenter(new Vector3()), box.getSize(new Vector3()).multiplyScalar(0.5), jump);
    this.dirty = true;
  }
  /** Box of what moves in the frame that is shown. */
  private present(): Box3 {
    const box = new Box3();
    const p = new Vector3();
    this.solids.bounds((x, y, z, r, moves) => {
      if (moves) box.expandByPoint(p.set(x - r, y - r, z - r)).expandByPoint(p.set(x + r, y + r, z + r));
    });
    for (const { position } of [...this.surfaces.surfaces, ...this.lines.lines])
      for (let i = 0; i < position.length; i += 3) box.expandByPoint(p.fromArray(position, i));
    return box.isEmpty() ? this.box : box;
  }

  /** The record holds another frame, that of moment t. */
  frameChanged(t = this.joints.moment): void {
    this.joints.moment = t;
    this.solids.update(false);
    this.surfaces.update();
    this.lines.update();
    this.arrows.update(this.record.contacts);
    this.ground.update(false);
    this.joints.update(); // after the surfaces and lines that it may be on
    this.dirty = true;
  }
  /** Something of the looks changed. */
  touch(): void {
    this.arrows.look();
    this.dirty = true;
  }

  setTheme(theme: Theme, body = -1, member = -1): void {
    this.theme = theme;
    this.scene.background = new Color(theme.background);
    this.light.intensity = theme.dark ? 1.9 : 2.0;
    this.sky.intensity = theme.dark ? 1.15 : 1.55;
    this.ground.colour(theme);
    this.joints.colour(theme);
    this.arrows.pixelRatio(this.renderer.getPixelRatio(), theme.dark);
    this.highlight(body, member);
  }
  highlight(body: number, member: number): void {
    this.solids.colour(this.theme, body, member);
    this.surfaces.colour(this.theme, body);
    this.lines.colour(this.theme, body);
    this.dirty = true;
  }
  chooseJoint(j: number): void {
    this.joints.choose(j);
    this.dirty = true;
  }
  opacity(value: number): void {
    this.solids.opacity(value);
    this.surfaces.opacity(value);
    this.dirty = true;
  }

  resize(): void {
    const width = Math.max(1, this.parent.clientWidth), height = Math.max(1, this.parent.clientHeight);
    if (width === this.width && height === this.height) return;
    this.width = width;
    this.height = height;
    const ratio = Math.min(2, devicePixelRatio || 1);
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height);
    this.camera.resize(width, height);
    this.lines.resize(width, height);
    this.surfaces.resize(width, height);
    this.joints.resize(width, height);
    this.arrows.pixelRatio(ratio, this.theme.dark);
    this.dirty = true;
  }

  pick(x: number, y: number): Hit | null {
    return pick(x, y, this.width, this.height, this.camera.active, this.solids, this.surfaces, this.lines);
  }
  pickJoint(x: number, y: number): number {
    return this.joints.pick(x, y, new Vector3(), this.camera.pixel(this.height), (v) => this.project(v));
  }
  /** World to pixels; z > 1 lies behind the viewer. */
  project(at: Vector3): Vector3 {
    at.project(this.camera.active);
    return at.set(((at.x + 1) / 2) * this.width, ((1 - at.y) / 2) * this.height, at.z);
  }

  /** Draws if something changed; true if it did. */
  draw(now: number, always = false): boolean {
    if (this.camera.update(now)) this.dirty = true;
    if (!this.dirty && !always) return false;
    this.dirty = false;
    const camera = this.camera.active;
    this.light.position.copy(camera.position);
    this.light.target.position.copy(this.camera.target);
    const side = new Vector3().setFromMatrixColumn(camera.matrixWorld, 0);
    const above = new Vector3().setFromMatrixColumn(camera.matrixWorld, 1);
    const far = camera.position.distanceTo(this.camera.target);
    this.light.position.addScaledVector(side, -0.45 * far).addScaledVector(above, 0.55 * far);
    this.sky.position.copy(this.camera.up);
    // the same light for the shader of spheres, as the camera sees it
    const way = this.light.position.clone().sub(this.light.target.position).transformDirection(camera.matrixWorldInverse);
    const up = this.camera.up.clone().transformDirection(camera.matrixWorldInverse);
    for (const { uniforms } of this.solids.sphereMaterials) {
      uniforms.lightWay!.value.copy(way);
      uniforms.upWay!.value.copy(up);
      uniforms.light!.value = this.light.intensity;
      uniforms.sky!.value = this.sky.intensity;
    }
    this.renderer.render(this.scene, camera);
    return true;
  }

  triangles(): number {
    return this.solids.triangles() + this.surfaces.triangles();
  }
  get drawsSomething(): boolean {
    return this.solids.instances > 0 || this.surfaces.surfaces.length > 0 || this.lines.lines.length > 0;
  }
  /** Axes of the world as they appear: x and y to the right and up of the screen. */
  axes(): { x: number; y: number; depth: number }[] {
    const m = this.camera.active.matrixWorldInverse.elements;
    return [0, 1, 2].map((i) => ({ x: m[4 * i]!, y: m[4 * i + 1]!, depth: m[4 * i + 2]! }));
  }
}
