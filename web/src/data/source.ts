// Where the bytes come from: scripts of this page, or the server that sent it.
import { checkHeader, type Header } from './header';

export interface Source {
  served: boolean;
  header(): Promise<Header>;
  static(): Promise<ArrayBuffer>;
  /** A chunk with at least frame `first`. */
  frames(first: number, last: number): Promise<ArrayBuffer>;
}

/** Base64 without white space in one pass; atob would build a string of the whole first. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const table = new Uint8Array(128);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  for (let i = 0; i < 64; i++) table[alphabet.charCodeAt(i)] = i;
  const source = text.replace(/[\s=]+/g, '');
  const bytes = new Uint8Array(Math.floor((source.length * 3) / 4));
  for (let i = 0, k = 0; i < source.length; i += 4) {
    const n =
      (table[source.charCodeAt(i)]! << 18) |
      (table[source.charCodeAt(i + 1)]! << 12) |
      ((table[source.charCodeAt(i + 2)] ?? 0) << 6) |
      (table[source.charCodeAt(i + 3)] ?? 0);
    bytes[k++] = n >> 16;
    bytes[k++] = n >> 8;
    bytes[k++] = n;
  }
  return bytes;
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).arrayBuffer();
}

class PageSource implements Source {
  served = false;
  constructor(private readonly json: string) {}
  async header(): Promise<Header> {
    return checkHeader(JSON.parse(this.json) as Header);
  }
  static(): Promise<ArrayBuffer> {
    return this.take('saltus-static');
  }
  frames(): Promise<ArrayBuffer> {
    return this.take('saltus-frames');
  }
  /** Reads a script once and empties it, so that the text does not stay in memory beside the bytes. */
  private async take(id: string): Promise<ArrayBuffer> {
    const element = document.getElementById(id);
    if (!element) throw new Error(`page: no script "${id}"`);
    const bytes = fromBase64(element.textContent ?? '');
    element.textContent = '';
    return bytes.length ? inflate(bytes) : new ArrayBuffer(0);
  }
}

class ServerSource implements Source {
  served = true;
  private generation = 0;
  async header(): Promise<Header> {
    const header = checkHeader((await (await this.get('view.json')).json()) as Header);
    this.generation = header.generation ?? 0;
    return header;
  }
  /** The bytes of the header read last; a file that grows has others soon. */
  async static(): Promise<ArrayBuffer> {
    return (await this.get(this.generation ? `static.bin?generation=${this.generation}` : 'static.bin')).arrayBuffer();
  }
  async frames(first: number, last: number): Promise<ArrayBuffer> {
    return (await this.get(`frames/${first}-${last}`)).arrayBuffer();
  }
  private async get(path: string): Promise<Response> {
    let answer: Response;
    try {
      answer = await fetch(`/${path}`, { cache: 'no-store' });
    } catch {
      throw new Error(`/${path}: the server does not answer`);
    }
    if (!answer.ok) throw new Error(`/${path}: ${answer.status} ${(await answer.text()).split('\n')[0]}`);
    return answer;
  }
}

export function openSource(): Source | null {
  const header = document.getElementById('saltus-header');
  if (header) return new PageSource(header.textContent ?? '');
  return location.protocol === 'http:' || location.protocol === 'https:' ? new ServerSource() : null;
}
