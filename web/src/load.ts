// The data of a run, and what must be known of it before anything is drawn.
import { Frames } from './data/frames';
import type { Header } from './data/header';
import { Contacts } from './data/record';
import type { Source } from './data/source';
import { StaticData } from './data/static';

/** The arrow of the force that nine of ten contacts do not exceed is of the usual length. */
export function usualForce(header: Header, frames: Frames): number {
  const sizes: number[] = [];
  const contacts = new Contacts();
  const every = Math.max(1, Math.floor(frames.count / 40));
  for (let k = 0; k < frames.count; k += every) {
    const slot = frames.get(k);
    if (!slot) continue;
    contacts.decode(slot, slot.begin + header.frame_bytes);
    for (let i = 0; i < contacts.count; i++) {
      const f = Math.hypot(contacts.force[3 * i]!, contacts.force[3 * i + 1]!, contacts.force[3 * i + 2]!);
      if (f > 0) sizes.push(f);
    }
  }
  sizes.sort((a, b) => a - b);
  return sizes[Math.floor(0.9 * (sizes.length - 1))] ?? 0;
}

export async function load(source: Source): Promise<{ header: Header; data: StaticData; frames: Frames }> {
  const header = await source.header();
  const data = new StaticData(await source.static());
  const frames = new Frames(source, data.f64(header.frames.time), data.u32(header.frames.step), header.frames.count);
  if (frames.count > 0) {
    await frames.want(0);
    if (frames.error) throw new Error(frames.error);
  }
  return { header, data, frames };
}
