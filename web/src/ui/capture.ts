// Pictures: one as PNG with what it shows written on it, all frames as PNG in a zip, a film where the browser records.
import { download } from '../base/dom';
import type { Stage } from '../scene/stage';

/** The view with a line of text below it: title, moment, what is exaggerated. */
export function picture(stage: Stage, words: string[], dark: boolean): HTMLCanvasElement {
  stage.draw(performance.now(), true);
  const source = stage.canvas;
  const ratio = source.width / Math.max(1, stage.width);
  const bar = Math.round(26 * ratio);
  const out = document.createElement('canvas');
  out.width = source.width;
  out.height = source.height + bar;
  const g = out.getContext('2d')!;
  g.fillStyle = dark ? '#12161b' : '#f4f5f7';
  g.fillRect(0, 0, out.width, out.height);
  g.drawImage(source, 0, 0);
  stage.paint(g, ratio);
  g.fillStyle = dark ? '#c6d0da' : '#39434d';
  g.font = `${Math.round(12 * ratio)}px ui-sans-serif, system-ui, sans-serif`;
  g.textBaseline = 'middle';
  g.fillText(words.filter(Boolean).join('   ·   '), 10 * ratio, source.height + bar / 2, out.width - 20 * ratio);
  return out;
}

const blobOf = (canvas: HTMLCanvasElement): Promise<Blob> =>
  new Promise((resolve, reject) => canvas.toBlob((b) => (b ? resolve(b) : reject(new Error('the browser made no picture'))), 'image/png'));

export async function savePicture(canvas: HTMLCanvasElement, name: string): Promise<void> {
  download(await blobOf(canvas), `${name}.png`);
}

let table: Uint32Array | null = null;
function crc32(bytes: Uint8Array): number {
  table ??= Uint32Array.from({ length: 256 }, (_, n) => {
    for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
    return n;
  });
  let c = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) c = table[(c ^ bytes[i]!) & 255]! ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

/** A zip of files as they are (PNG is compressed already). */
export class Zip {
  private readonly parts: BlobPart[] = [];
  private readonly directory: Uint8Array<ArrayBuffer>[] = [];
  private at = 0;

  add(name: string, bytes: Uint8Array<ArrayBuffer>): void {
    const path = new TextEncoder().encode(name);
    const head = new DataView(new ArrayBuffer(30));
    const entry = new DataView(new ArrayBuffer(46));
    const crc = crc32(bytes);
    head.setUint32(0, 0x04034b50, true);
    entry.setUint32(0, 0x02014b50, true);
    entry.setUint16(4, 20, true);
    for (const [view, o] of [[head, 4], [entry, 6]] as const) {
      view.setUint16(o, 20, true);
      view.setUint16(o + 8, 0x21, true); // 1 January 1980: no clock in the file
      view.setUint32(o + 10, crc, true);
      view.setUint32(o + 14, bytes.length, true);
      view.setUint32(o + 18, bytes.length, true);
      view.setUint16(o + 22, path.length, true);
    }
    entry.setUint32(42, this.at, true);
    this.parts.push(head.buffer, path, bytes);
    this.directory.push(new Uint8Array(entry.buffer), path);
    this.at += 30 + path.length + bytes.length;
  }
  blob(): Blob {
    const size = this.directory.reduce((n, d) => n + d.length, 0);
    const end = new DataView(new ArrayBuffer(22));
    end.setUint32(0, 0x06054b50, true);
    end.setUint16(8, this.directory.length / 2, true);
    end.setUint16(10, this.directory.length / 2, true);
    end.setUint32(12, size, true);
    end.setUint32(16, this.at, true);
    return new Blob([...this.parts, ...this.directory, end.buffer], { type: 'application/zip' });
  }
}

/** PNG of frames, `each` gives the picture of one; stops when `stop` says so. */
export async function saveSeries(count: number, every: number, each: (k: number) => Promise<HTMLCanvasElement>, name: string, tell: (done: number) => void, stop: () => boolean): Promise<void> {
  const zip = new Zip();
  let done = 0;
  for (let k = 0; k < count && !stop(); k += every) {
    const blob = await blobOf(await each(k));
    zip.add(`${name}_${String(k).padStart(6, '0')}.png`, new Uint8Array(await blob.arrayBuffer()));
    tell(++done);
  }
  if (done) download(zip.blob(), `${name}_frames.zip`);
}

/** A film of what the view shows from now on, until `stop` is called. Null where the browser cannot. */
export function film(stage: Stage, name: string): { stop: () => void } | null {
  if (typeof MediaRecorder === 'undefined' || !stage.canvas.captureStream) return null;
  const type = ['video/webm;codecs=vp9', 'video/webm', 'video/mp4'].find((t) => MediaRecorder.isTypeSupported(t));
  if (!type) return null;
  const recorder = new MediaRecorder(stage.canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: 8e6 });
  const parts: Blob[] = [];
  recorder.ondataavailable = (e) => parts.push(e.data);
  recorder.onstop = () => download(new Blob(parts, { type }), `${name}.${type.includes('mp4') ? 'mp4' : 'webm'}`);
  recorder.start(500);
  return { stop: () => recorder.state !== 'inactive' && recorder.stop() };
}
