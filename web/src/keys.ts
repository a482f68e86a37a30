// Keys. Fields keep theirs; with Ctrl, Alt or Meta they belong to the browser.
import type { Player } from './player';
import type { Stage } from './scene/stage';
import type { Capture } from './ui/capture_buttons';
import type { Display } from './ui/display';
import type { Measure } from './ui/measure';
import { toggleTheme } from './ui/theme';

interface Parts {
  player: Player;
  help: HTMLDialogElement;
  stage?: Stage;
  display?: Display;
  measure?: Measure;
  capture?: Capture;
  flipProjection?: () => void;
  clear?: () => void;
}

export function attachKeys(parts: Parts): void {
  const { player, help, stage, display, measure } = parts;
  const actions: { [key: string]: (e: KeyboardEvent) => void } = {
    ' ': () => (player.playing.value ? player.pause() : player.play()),
    ArrowLeft: (e) => player.step(e.shiftKey ? -10 : -1),
    ArrowRight: (e) => player.step(e.shiftKey ? 10 : 1),
    Home: () => player.goTo(0),
    End: () => player.goTo(player.frames.count - 1),
    '+': () => player.faster(1),
    '=': () => player.faster(1),
    '-': () => player.faster(-1),
    l: () => (player.loop.value = !player.loop.value),
    '1': () => stage?.view('x'),
    '2': () => stage?.view('y'),
    '3': () => stage?.view('z'),
    '4': () => stage?.view('iso'),
    '0': () => stage?.view('home'),
    f: () => stage?.view('fit'),
    p: () => parts.flipProjection?.(),
    d: () => display?.toggle(),
    c: () => document.getElementById('show-arrows')?.click(),
    j: () => document.getElementById('show-joints')?.click(),
    n: () => document.getElementById('show-names')?.click(),
    m: () => measure?.toggle(),
    s: () => parts.capture?.save(),
    t: toggleTheme,
    '?': () => help.showModal(),
    Escape: () => {
      if (measure?.on) measure.toggle(false);
      else if (display && !display.panel.hidden) display.toggle();
      else parts.clear?.();
    },
  };
  addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.altKey || e.metaKey || help.open) return;
    const target = e.target as HTMLElement;
    const scrub = target.id === 'scrub';
    if (!scrub && /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
    if (e.key === ' ' && target.tagName === 'BUTTON') return; // a button is pressed by it
    const action = actions[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (!action) return;
    e.preventDefault();
    action(e);
  });
}
