// Play, step, scrub, speed, loop.
import { h, iconButton, setIcon, text } from '../base/dom';
import { fixed, number, scaleFor } from '../base/units';
import { type Player, SPEEDS } from '../player';

export function makeTimeline(player: Player): { element: HTMLElement; update: () => void } {
  const play = iconButton('play', 'Play (space)', () => (player.playing.value ? player.pause() : player.play()), { class: 'icon primary', id: 'play' });
  const back = iconButton('back', 'One frame back (←)', () => player.step(-1));
  const next = iconButton('next', 'One frame on (→)', () => player.step(1));
  const loop = iconButton('loop', 'Loop (L)', () => (player.loop.value = !player.loop.value), { 'aria-pressed': 'false' });
  const slider = h('input', { type: 'range', min: 0, max: 1, step: 1, value: 0, id: 'scrub', 'aria-label': 'Frame' });
  const clock = h('output', { class: 'clock' });
  const frame = h('span', { class: 'frame-number' });
  const speed = h('select', { 'aria-label': 'Speed: seconds of the run in a second', title: 'Speed: seconds of the run in a second of yours' },
    ...SPEEDS.map((s) => h('option', { value: s }, s === 1 ? 'real time' : `${number(s)} × real`)));

  slider.addEventListener('input', () => {
    player.goTo(Number(slider.value));
  });
  speed.addEventListener('change', () => (player.speed.value = Number(speed.value)));
  player.speed.on((s) => (speed.value = String(s)));
  player.playing.on((on) => setIcon(play, on ? 'pause' : 'play', on ? 'Pause (space)' : 'Play (space)'));
  player.loop.on((on) => loop.setAttribute('aria-pressed', String(on)));

  let decimals = 3, factor = 1, unit = 's', known = -1;
  const scale = (): void => {
    known = player.frames.count;
    const end = Math.max(Math.abs(player.end), Math.abs(player.begin));
    ({ factor, unit } = scaleFor(end || 1, 's'));
    const step = ((player.end - player.begin) * factor) / Math.max(1, known - 1);
    decimals = step > 0 ? Math.max(0, Math.min(6, Math.ceil(1 - Math.log10(step)))) : 3;
    slider.max = String(Math.max(0, known - 1));
  };
  const update = (): void => {
    if (player.frames.count !== known) scale();
    const k = Math.max(0, player.frame.value);
    if (slider.value !== String(k)) slider.value = String(k);
    slider.style.setProperty('--share', `${known > 1 ? (100 * k) / (known - 1) : 0}%`);
    const t = player.smooth.value ? player.time : (player.frames.time[k] ?? 0);
    const shown = `${fixed(t * factor, decimals)}\u00a0${unit}`;
    text(clock, known ? shown : '–');
    slider.setAttribute('aria-valuetext', shown);
    text(frame, known ? `frame ${k + 1} of ${known}, step ${number(player.frames.step[k] ?? 0)}` : 'no frames stored');
  };
  const element = h('footer', { class: 'timeline' },
    h('div', { class: 'transport' }, back, play, next, loop),
    h('div', { class: 'scrub' }, slider, h('div', { class: 'scrub-text' }, clock, frame)),
    h('label', { class: 'speed' }, h('span', {}, 'Speed'), speed));
  update();
  return { element, update };
}
