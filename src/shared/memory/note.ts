/**
 * Something that is known of an object for as long as the object lives, such as a request.
 *
 * A `WeakMap` would keep requests in memory that are long over: a young collection of V8 takes every value of an old
 * WeakMap for alive, and what a value names lives with it, its own key included (measured: scripts/bench/README.md). A
 * note stands on the object itself, where nobody else finds it.
 */
export class Note<Holder extends object, Value> {
  readonly #key = Symbol('note');

  get(holder: Holder): Value | undefined {
    return (holder as Record<symbol, Value | undefined>)[this.#key];
  }

  /** `undefined` takes the note away. */
  set(holder: Holder, value: Value | undefined): void {
    (holder as Record<symbol, Value | undefined>)[this.#key] = value;
  }
}
