/**
 * Members that come and go with every request.
 *
 * A `Set` would keep the dead ones in memory. When its table is full of removed entries, V8 makes another table, and the
 * outgrown table keeps its entries and a link to the next. As soon as one such table lies in the old generation, no
 * young collection frees what the tables after it name.
 */
export class Slots<Member extends object> {
  readonly #members: Array<Member | undefined> = [];
  readonly #free: number[] = [];

  /** Adds a member. Returns its slot, by which it is released once. */
  take(member: Member): number {
    const slot = this.#free.pop() ?? this.#members.length;
    this.#members[slot] = member;
    return slot;
  }

  release(slot: number): void {
    this.#members[slot] = undefined;
    this.#free.push(slot);
  }

  get size(): number {
    return this.#members.length - this.#free.length;
  }

  /** The members at this moment. */
  members(): Member[] {
    return this.#members.filter((member) => member !== undefined);
  }
}
