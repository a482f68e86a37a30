// A value that tells when it changes.
export class Signal<T> {
  private readers: ((value: T) => void)[] = [];
  constructor(private current: T) {}
  get value(): T {
    return this.current;
  }
  set value(next: T) {
    if (Object.is(next, this.current)) return;
    this.current = next;
    for (const read of this.readers) read(next);
  }
  /** Calls back now and at each change. */
  on(read: (value: T) => void): void {
    this.readers.push(read);
    read(this.current);
  }
}
