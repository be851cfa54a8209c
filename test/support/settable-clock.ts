/** A clock that stands or runs on from a moment that the test sets. */
export class SettableClock {
  #now: () => number;

  constructor(start: number = Date.now()) {
    this.#now = () => start;
  }

  now(): number {
    return this.#now();
  }

  /** Time that is set has also been waited for; see JumpingClock where it has not. */
  elapsed(): number {
    return this.#now();
  }

  set(at: number | string): void {
    const moment = typeof at === 'number' ? at : Date.parse(at);
    this.#now = () => moment;
  }

  advance(ms: number): void {
    this.set(this.now() + ms);
  }

  /** From here on the clock runs with real time, keeping its distance from it. */
  run(): void {
    const distance = this.now() - Date.now();
    this.#now = () => Date.now() + distance;
  }
}
