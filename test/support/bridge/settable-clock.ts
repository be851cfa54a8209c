import { closeSync, openSync, writeSync } from 'node:fs';

/** A clock that stands or runs on from a moment that the test sets. */
export class SettableClock {
  #runs = false;
  /** The moment, or its distance from real time while the clock runs. */
  #value: number;
  readonly #files = new Set<number>();

  constructor(start: number = Date.now()) {
    this.#value = start;
  }

  now(): number {
    return this.#runs ? Date.now() + this.#value : this.#value;
  }

  /** Time that is set has also been waited for; see JumpingClock where it has not. */
  elapsed(): number {
    return this.now();
  }

  wall(): number {
    return this.now();
  }

  set(at: number | string): void {
    this.#become(false, typeof at === 'number' ? at : Date.parse(at));
  }

  advance(ms: number): void {
    this.set(this.now() + ms);
  }

  /** From here on the clock runs with real time, keeping its distance from it. */
  run(): void {
    this.#become(true, this.now() - Date.now());
  }

  /**
   * Tells the time in a file too, for other processes that read it at every look (programs/bridge.mjs); every change is
   * there before the next line of the test. The answer ends it.
   */
  share(file: string): () => void {
    const handle = openSync(file, 'w');
    this.#files.add(handle);
    this.#become(this.#runs, this.#value);
    return () => {
      this.#files.delete(handle);
      closeSync(handle);
    };
  }

  #become(runs: boolean, value: number): void {
    this.#runs = runs;
    this.#value = value;
    const bytes = new Uint8Array(Float64Array.of(Number(runs), value).buffer);
    for (const handle of this.#files) writeSync(handle, bytes, 0, bytes.length, 0);
  }
}
