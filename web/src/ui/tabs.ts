// Panels of which one is visible.
import { h } from '../base/dom';

export class Tabs {
  readonly element: HTMLElement;
  private readonly tabs: HTMLButtonElement[] = [];
  private readonly panels: HTMLElement[] = [];
  onShow: (name: string) => void = () => {};

  constructor(list: [string, HTMLElement][]) {
    list.forEach(([name, content], i) => {
      const id = name.toLowerCase();
      const tab = h('button', { type: 'button', role: 'tab', id: `tab-${id}`, 'aria-controls': `panel-${id}`, onclick: () => this.show(name) }, name);
      tab.addEventListener('keydown', (e) => {
        const by = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0;
        if (!by) return;
        e.stopPropagation();
        const next = this.tabs[(i + by + this.tabs.length) % this.tabs.length]!;
        next.focus();
        next.click();
      });
      this.tabs.push(tab);
      this.panels.push(h('div', { class: 'panel', role: 'tabpanel', id: `panel-${id}`, 'aria-labelledby': `tab-${id}`, tabindex: 0 }, content));
    });
    this.element = h('aside', { class: 'side' }, h('div', { class: 'tabs', role: 'tablist' }, ...this.tabs), ...this.panels);
    this.show(list[0]![0]);
  }
  show(name: string): void {
    this.tabs.forEach((tab, i) => {
      const on = tab.textContent === name;
      tab.setAttribute('aria-selected', String(on));
      tab.tabIndex = on ? 0 : -1;
      this.panels[i]!.hidden = !on;
    });
    this.onShow(name);
  }
}
