// Elements in one expression: h('button', {class: 'x', onclick: f}, 'text').
type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, unknown>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value as EventListener);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  add(element, children);
  return element;
}

export function add(parent: Element, children: Child[]): void {
  for (const child of children)
    if (child !== null && child !== undefined && child !== false)
      parent.append(child instanceof Node ? child : String(child));
}

/** Replaces the children. */
export function put(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  add(parent, children);
}

/** Text that changes often: writes only what differs. */
export function text(element: Element, value: string): void {
  if (element.textContent !== value) element.textContent = value;
}

const ICONS: Record<string, string> = {
  play: 'M5 3.2v9.6L13 8z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
  next: 'M3 3.5v9L9 8zM10.5 3.5h2v9h-2z',
  back: 'M13 3.5v9L7 8zM3.5 3.5h2v9h-2z',
  loop: 'M4 5h6.5V3l3 2.8-3 2.8V6.6H5.6V9H4zM12 11H5.5v2l-3-2.8 3-2.8v2h4.9V7H12z',
  restart: 'M8 3a5 5 0 1 1-4.6 3l1.5.6A3.4 3.4 0 1 0 8 4.6V7L4.4 3.8 8 .8z',
  camera: 'M2 5h3l1-1.6h4L11 5h3v8H2zM8 6.3a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2z',
  film: 'M2 3h12v10H2zM4 5v1.2h1.4V5zm0 2.4v1.2h1.4V7.4zm0 2.4V11h1.4V9.8zm6.6-4.8v1.2H12V5zm0 2.4v1.2H12V7.4zm0 2.4V11H12V9.8z',
  ruler: 'M1.5 11 11 1.5 14.5 5 5 14.5zM4 10.4l1.6 1.6.8-.8-1.6-1.6zm2.3-2.3 1 1 .8-.8-1-1zm2-2 1.6 1.6.8-.8L9.1 5.3zm2.3-2.3 1 1 .8-.8-1-1z',
  sun: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM7.3 1h1.4v2.4H7.3zm0 11.6h1.4V15H7.3zM1 7.3h2.4v1.4H1zm11.6 0H15v1.4h-2.4zM2.6 3.6l1-1 1.7 1.7-1 1zm8.1 8.1 1-1 1.7 1.7-1 1zM2.6 12.4l1.7-1.7 1 1-1.7 1.7zm8.1-8.1 1.7-1.7 1 1-1.7 1.7z',
  tune: 'M2 4h6v1.5H2zm9 0h3v1.5h-3zM8.6 2.8h1.6v4H8.6zM2 10.5h3V12H2zm6 0h6V12H8zM5.6 9.2h1.6v4H5.6z',
  speaker: 'M2 6h3l4-3v10L5 10H2zM10.5 5.2a4 4 0 0 1 0 5.6l-.9-1a2.6 2.6 0 0 0 0-3.6zM12.4 3.4a6.5 6.5 0 0 1 0 9.2l-1-1a5.1 5.1 0 0 0 0-7.2z',
};

export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', ICONS[name] ?? '');
  path.setAttribute('fill-rule', 'evenodd');
  svg.append(path);
  return svg;
}

/** A button with an icon; its label is read aloud and shown as a hint. */
export function iconButton(name: string, label: string, press: () => void, extra: Attributes = {}): HTMLButtonElement {
  return h('button', { type: 'button', class: 'icon', 'aria-label': label, title: label, onclick: press, ...extra }, icon(name));
}

export function setIcon(button: Element, name: string, label: string): void {
  if (button.getAttribute('aria-label') === label) return;
  button.replaceChildren(icon(name));
  button.setAttribute('aria-label', label);
  button.setAttribute('title', label);
}

/** Offers bytes as a file. */
export function download(blob: Blob, name: string): void {
  const link = h('a', { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
