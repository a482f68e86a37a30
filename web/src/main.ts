// Reads the data, builds the page, runs the loop.
import { add, h, iconButton, put, text } from './base/dom';
import { number, ordinal, quantity } from './base/units';
import type { Frames } from './data/frames';
import type { Header } from './data/header';
import { openSource, type Source } from './data/source';
import { StaticData } from './data/static';
import { attachHooks, errors, type Hooks, Mean } from './hooks';
import { attachKeys } from './keys';
import { load, usualForce } from './load';
import { Player } from './player';
import { DARK, LIGHT } from './scene/palette';
import { Stage } from './scene/stage';
import { BodyPanel } from './ui/bodies';
import { makeCaptureButtons, type Capture } from './ui/capture_buttons';
import { Display } from './ui/display';
import { makeHelp } from './ui/help';
import { makeInfo } from './ui/info';
import { JointPanel } from './ui/joints';
import { Labels } from './ui/labels';
import { Live } from './ui/live';
import { Measure } from './ui/measure';
import { Plots } from './ui/plots';
import { Sounds } from './ui/sounds';
import { Tabs } from './ui/tabs';
import { dark, toggleTheme } from './ui/theme';
import { makeTimeline } from './ui/timeline';
import { Triad } from './ui/triad';

const app = document.getElementById('app')!;
const hooks = { errors } as Hooks;
(window as unknown as { saltus: Hooks }).saltus = hooks;

function fail(words: string): void {
  errors.push(words);
  put(app, h('div', { class: 'notice', role: 'alert' }, h('b', {}, 'This run cannot be shown.'), h('span', {}, words)));
}

async function start(): Promise<void> {
  const source = openSource();
  if (!source) {
    fail('The page holds no run. Make one with: saltus report results.h5, or open it with: saltus view results.h5');
    return;
  }
  put(app, h('div', { class: 'notice', role: 'status' }, h('b', {}, 'Reading the run …')));
  await new Promise((resolve) => setTimeout(resolve, 20)); // the words are seen before the work begins
  const { header, data, frames } = await load(source);
  document.title = `${header.title || header.file || 'Saltus'} – Saltus`;
  put(app);
  run(source, header, data, frames);
}

function run(source: Source, header: Header, data: StaticData, frames: Frames): void {
  const player = new Player(header, frames);
  const view = h('main', { class: 'view' });
  const statusLine = h('span', { class: 'status-line', role: 'status', 'aria-live': 'polite' });
  const help = makeHelp();
  const tools = h('div', { class: 'tools' });
  const head = h('header', { class: 'head' },
    h('div', { class: 'names' }, h('span', { class: 'brand' }, 'Saltus'), h('h1', {}, header.title || header.file || 'Untitled run'), statusLine), tools);
  const timeline = makeTimeline(player);
  add(app, [head, view]);

  // 3-D, where there is something to draw and a way to do it
  const drawable = header.instances.shape.count > 0 || header.meshes.length > 0 || header.lines.length > 0;
  let stage: Stage | null = null;
  let lost = '';
  if (drawable)
    try {
      // sizes of marks, walls and the view come from the first frame
      const first = frames.get(0);
      if (first) player.record.decode(first, false);
      stage = new Stage(view, header, data, player.record);
      const unit = usualForce(header, frames);
      stage.arrows.unit = unit;
    } catch (error) {
      console.warn('saltus: no 3-D view,', (error as Error).message);
      lost = 'This browser offers no WebGL: the plots are here, the 3-D view is not.';
    }
  if (!stage) {
    app.classList.add('no-view');
    if (lost) add(app, [h('p', { class: 'plain-notice', role: 'status' }, lost)]);
  }
  const labels = stage && new Labels(header, player.record.tracks, stage);
  const display = stage && new Display(header, player, stage, labels!);
  const measure = stage && new Measure(stage);
  const triad = stage && new Triad();
  const bodies = new BodyPanel(header, player, stage);
  const joints = stage && new JointPanel(header, player, stage, (body, member) => bodies.choose(body, member, null));
  if (joints) bodies.element.append(joints.element);
  const plots = new Plots(header, data, (t) => player.goToTime(t), dark.value);
  const sounds = new Sounds(header, data, player);
  const info = h('div', {});
  put(info, makeInfo(header));

  // a live run
  const live = header.live && source.served
    ? new Live(header, {
        state: (s) => {
          if (s.frames < frames.count) return void again();
          const follow = player.frame.value >= frames.count - 1;
          frames.grow(s.frames, s.time, s.step);
          if (follow && !player.playing.value) player.goTo(frames.count - 1);
        },
        rows: (rows) => plots.append(rows),
        header: () => void again(),
        end: () => void source.header().then((h_) => put(info, makeInfo(h_))),
      })
    : null;
  /** The server has another header, as after a restart: frames and rows anew; other bodies: the page anew. */
  async function again(): Promise<void> {
    try {
      const next = await source.header();
      const shape = (x: Header): string => JSON.stringify([x.bodies, x.tracks.map((t) => [t.name, t.width, t.type]), x.instances.shape.count, x.meshes.length, x.lines.length, x.joints.map(({ broken, ...rest }) => rest)]);
      if (shape(next) !== shape(header)) {
        location.reload();
        return;
      }
      const bytes = new StaticData(await source.static());
      header.tracks.splice(0, header.tracks.length, ...next.tracks);
      next.joints.forEach((joint, j) => header.joints[j] && (header.joints[j]!.broken = joint.broken));
      frames.reset(bytes.f64(next.frames.time), bytes.u32(next.frames.step), next.frames.count);
      plots.replace(next, bytes);
      put(info, makeInfo(next));
      live?.show(next.controls ?? []);
      player.invalidate();
      player.goTo(frames.count - 1);
    } catch (error) {
      text(statusLine, (error as Error).message);
    }
  }

  const panels: [string, HTMLElement][] = [];
  if (live) panels.push(['Run', live.element]);
  panels.push(['Plots', plots.element]);
  if (header.sounds.length) panels.push(['Sound', sounds.element]);
  if (header.bodies.length) panels.push(['Body', bodies.element]);
  panels.push(['Info', info]);
  const tabs = new Tabs(panels);
  // strings and other runs with sound are looked at by their sound first only if there is no plot
  if (!live && !header.plots.length) tabs.show(header.sounds.length ? 'Sound' : 'Info');
  add(app, [tabs.element, timeline.element, help]);
  if (!frames.count && !live) timeline.element.hidden = true;

  // buttons
  let capture: Capture | null = null;
  if (stage && display && measure && triad) {
    const s = stage;
    const name = (header.file || header.title || 'saltus').replace(/\.[a-z0-9]+$/i, '').replace(/[^\w.-]+/g, '_');
    const words = (): string[] => [header.title, frames.count ? `t = ${quantity(frames.time[player.frame.value] ?? 0, 's', 6)}` : '', ...display.badgeText];
    capture = makeCaptureButtons(s, player, name, words, (w) => text(statusLine, w));
    const projection = h('button', { type: 'button', title: 'Perspective or parallel (P)', 'aria-pressed': String(s.camera.orthographic), onclick: () => flipProjection() }, 'Parallel');
    const flipProjection = (): void => {
      s.camera.orthographic = !s.camera.orthographic;
      s.camera.changed = true;
      projection.setAttribute('aria-pressed', String(s.camera.orthographic));
    };
    const look = (label: string, title: string, v: Parameters<Stage['view']>[0]): HTMLElement =>
      h('button', { type: 'button', title, 'aria-label': title, onclick: () => s.view(v) }, label);
    const ruler = iconButton('ruler', 'Measure between two points (M)', () => measure.toggle(), { 'aria-pressed': 'false' });
    measure.onChange = (on) => {
      ruler.setAttribute('aria-pressed', String(on));
      view.classList.toggle('measuring', on);
    };
    const tune = iconButton('tune', 'What is drawn (D)', () => display.toggle(), { 'aria-controls': 'display' });
    add(view, [
      h('div', { class: 'bar' }, h('div', { class: 'group' }, tune),
        h('div', { class: 'group', role: 'group', 'aria-label': 'Camera' }, look('x', 'Look along x (1)', 'x'), look('y', 'Look along y (2)', 'y'),
          look('z', 'Look along z (3)', 'z'), look('iso', 'Look from a corner (4)', 'iso'), look('fit', 'Fit what moves (F)', 'fit'), projection),
        h('div', { class: 'group' }, ruler, ...capture.buttons)),
      display.badges, display.legends, display.scaleBar, labels!.element, measure.element, triad.element, display.panel]);
    s.camera.onClick = (x, y) => {
      const hit = s.pick(x, y);
      const joint = measure.on ? -1 : s.pickJoint(x, y);
      if (measure.on) return measure.click(hit);
      if (joint >= 0 || (hit && hit.body >= 0)) tabs.show('Body');
      if (joint < 0) bodies.choose(hit ? hit.body : -1, hit?.member ?? 0, hit);
      joints!.choose(joint);
    };
    s.camera.onMove = () => {};
    new ResizeObserver(() => s.resize()).observe(view);
    attachKeys({ player, stage: s, display, measure, help, flipProjection, capture, clear: () => {
      bodies.choose(-1, 0, null);
      joints!.choose(-1);
    } });
  } else attachKeys({ player, help });
  add(tools, [
    iconButton('sun', 'Dark or light (T)', toggleTheme),
    h('button', { type: 'button', 'aria-label': 'Keys (?)', title: 'Keys (?)', onclick: () => help.showModal() }, '?')]);
  dark.on((on) => {
    stage?.setTheme(on ? DARK : LIGHT, bodies.body, bodies.member);
    plots.theme(on);
    sounds.theme();
  });
  tabs.onShow = () => {
    bodies.update();
    sounds.at(player.time);
  };

  // status
  const { every, of } = header.decimated;
  const said = [frames.count ? '' : 'no frames were stored', every > 1 ? `each ${ordinal(every)} of ${number(of)} frames` : '',
    header.contacts_left_out ? `${number(header.contacts_left_out)} contacts with the smallest forces are left out` : '',
    header.finished || header.live ? '' : 'the run did not reach its end'].filter(Boolean).join('; ');
  text(statusLine, said);

  // loop
  const costs = { decode: new Mean(120), fill: new Mean(120), panels: new Mean(120), draw: new Mean(120) };
  let lastTime = NaN;
  player.goTo(live ? frames.count - 1 : 0);
  const tick = (now: number): void => {
    const begin = performance.now();
    const changed = player.tick(now);
    const decoded = performance.now();
    const t = !frames.count || player.playing.value || player.smooth.value || header.sounds.length ? player.time : (frames.time[player.frame.value] ?? 0);
    if (changed) stage?.frameChanged(player.smooth.value ? player.time : frames.time[player.frame.value]);
    const filled = performance.now();
    if (changed) {
      bodies.carry();
      bodies.update();
      joints?.update();
    }
    if (changed || t !== lastTime) {
      lastTime = t;
      timeline.update();
      plots.at(t);
      sounds.at(t);
    } else if (live) timeline.update();
    const shown = performance.now();
    const drawn = stage?.draw(now) ?? false;
    const end = performance.now();
    if (drawn) {
      display!.update();
      measure!.update();
      labels!.update();
      triad!.update(stage!);
    }
    if (changed || drawn) {
      const last = performance.now();
      costs.draw.add(end - shown);
      costs.panels.add(shown - filled + last - end);
      if (changed) {
        costs.decode.add(decoded - begin);
        costs.fill.add(filled - decoded);
      }
    }
    if (frames.error) {
      text(statusLine, frames.error);
      errors.push(frames.error);
      frames.error = '';
    }
    requestAnimationFrame(tick);
  };
  tick(performance.now());
  requestAnimationFrame(() => plots.at(player.time));

  attachHooks(hooks, { header, player, stage, bodies, joints, labels, plots, sounds, tabs, costs, picture: () => capture?.picture() ?? null });
}

hooks.ready = start().catch((error: Error) => fail(error.message));
