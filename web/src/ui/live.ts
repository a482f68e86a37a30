// A run that the server steps: start, pause, one step, restart, and what may be changed while it runs.
import { h, put, text } from '../base/dom';
import { number, quantity } from '../base/units';
import type { Control, Header } from '../data/header';
import { Controls } from './controls';

export interface LiveState {
  running: boolean;
  time: number;
  step: number;
  frames: number;
  rate: number;
  error?: string;
}

export class Live {
  readonly element = h('div', { class: 'live' });
  private readonly status = h('p', { class: 'status', role: 'status', 'aria-live': 'polite' }, 'Waiting for the server …');
  private readonly error = h('p', { class: 'error', role: 'alert', hidden: true });
  private readonly start: HTMLButtonElement;
  private readonly pause: HTMLButtonElement;
  private readonly driven: boolean;
  private readonly controls = new Controls((path, value) => this.send({ do: 'set', path, value }));
  private readonly hint = h('p', { class: 'hint' });

  constructor(header: Header, private readonly on: { state: (s: LiveState) => void; rows: (r: { [k: string]: unknown }) => void; header: () => void; end: () => void }) {
    const button = (label: string, what: string): HTMLButtonElement => h('button', { type: 'button', onclick: () => void this.send({ do: what }) }, label);
    this.start = button('Start', 'start');
    this.pause = button('Pause', 'pause');
    // a file that still grows has no controls: somebody else steps that run
    this.driven = header.controls !== undefined;
    put(this.element, h('section', { class: 'card' }, h('header', {}, h('h3', {}, 'Run')), this.status,
      this.driven ? h('div', { class: 'buttons' }, this.start, this.pause, button('One step', 'step'), button('Restart', 'restart')) : this.hint,
      this.error), this.controls.element);
    this.show(header.controls ?? []);
    const events = new EventSource('/events');
    const listen = (name: string, read: (data: string) => void): void => events.addEventListener(name, (e) => {
      try {
        read((e as MessageEvent<string>).data);
      } catch (error) {
        this.fail(`${name}: ${(error as Error).message}`);
      }
    });
    listen('state', (data) => {
      const state = JSON.parse(data) as LiveState;
      this.start.disabled = state.running;
      this.pause.disabled = !state.running;
      text(this.status, `${this.driven ? (state.running ? 'Running' : 'Paused') : state.running ? 'Growing' : 'Stopped'} at ${quantity(state.time, 's')}, step ${number(state.step)}` + (state.running && Number.isFinite(state.rate) ? `, ${number(state.rate, 3)} × real time` : ''));
      text(this.hint, state.running ? 'The file grows as its run goes on.' : 'No program writes this file: its run was stopped.');
      if (state.error) this.fail(state.error);
      this.on.state(state);
    });
    listen('rows', (data) => this.on.rows(JSON.parse(data) as { [k: string]: unknown }));
    listen('header', () => this.on.header());
    listen('end', () => {
      text(this.status, 'The run has ended.');
      events.close();
      this.on.end();
    });
    events.onerror = () => {
      if (events.readyState !== EventSource.CLOSED) text(this.status, 'The server does not answer; asking again …');
    };
  }

  show(list: Control[]): void {
    this.controls.show(list);
  }

  private async send(body: { [k: string]: unknown }): Promise<void> {
    try {
      const answer = await fetch('/control', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
      const told = (await answer.json()) as { ok?: boolean; error?: string };
      this.fail(told.ok ? '' : (told.error ?? `${answer.status}`));
    } catch (error) {
      this.fail(`The server does not answer: ${(error as Error).message}`);
    }
  }
  private fail(words: string): void {
    text(this.error, words);
    this.error.hidden = !words;
  }
}
