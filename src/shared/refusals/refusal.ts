/**
 * A use case says no. What was asked, or the present state of things, is the reason: nothing is broken and nothing is
 * out of reach, so a refusal is no fault and raises no alarm. The work that was refused was not done. The message is
 * the reason, written for the reader of the refusal, and holds no secret. A subclass adds what its reader needs beside
 * the reason.
 *
 * ARCHITECTURE.md, "How a use case says no", lists every refusal: who throws it, and what each reader gets.
 */
export abstract class Refusal extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = new.target.name;
  }
}
