// Keys, in an overlay.
import { h } from '../base/dom';

export const KEYS: [string, string][] = [
  ['Space', 'play or pause'],
  ['← →', 'one frame back or on'],
  ['Shift ← →', 'ten frames'],
  ['Home End', 'first or last frame'],
  ['+ −', 'faster or slower'],
  ['L', 'loop'],
  ['1 2 3 4', 'look along x, y, z; from a corner'],
  ['F', 'fit what moves'],
  ['0', 'the view at the start'],
  ['P', 'perspective or parallel'],
  ['D', 'what is drawn'],
  ['C', 'contact forces'],
  ['J', 'joints'],
  ['N', 'names'],
  ['M', 'measure between two points'],
  ['S', 'save a picture'],
  ['T', 'dark or light'],
  ['Esc', 'close, clear'],
  ['?', 'this help'],
];

export function makeHelp(): HTMLDialogElement {
  const dialog = h('dialog', { class: 'help', 'aria-label': 'Keys' },
    h('header', {}, h('h2', {}, 'Keys and mouse'), h('button', { type: 'button', 'aria-label': 'Close', onclick: () => dialog.close() }, '×')),
    h('dl', {}, ...KEYS.flatMap(([key, what]) => [h('dt', {}, ...key.split(' ').map((k) => h('kbd', {}, k))), h('dd', {}, what)])),
    h('p', {}, 'Drag turns, right or Shift drag moves, the wheel or two fingers zoom. A click chooses a body or a joint. In a plot a click goes to that moment, a drag zooms.'));
  dialog.addEventListener('click', (e) => {
    if (e.target === dialog) dialog.close();
  });
  return dialog;
}
