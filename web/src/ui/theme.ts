// Dark or light: as the system says until the user says otherwise.
import { Signal } from '../base/signal';

const media = matchMedia('(prefers-color-scheme: dark)');

function stored(): string | null {
  try {
    return localStorage.getItem('saltus-theme');
  } catch {
    return null; // pages from files may have no storage
  }
}

export const dark = new Signal(stored() ? stored() === 'dark' : media.matches);
media.addEventListener('change', () => {
  if (!stored()) dark.value = media.matches;
});
dark.on((on) => (document.documentElement.dataset.theme = on ? 'dark' : 'light'));

export function toggleTheme(): void {
  dark.value = !dark.value;
  try {
    localStorage.setItem('saltus-theme', dark.value ? 'dark' : 'light');
  } catch {
    // shown now, forgotten later
  }
}
