import session, { type SessionData } from 'express-session';
import { LRUCache } from 'lru-cache';

/** Anybody who opens the demo can begin a session. When there are too many, the least recently used ones leave. */
export const MOST_SESSIONS = 200;
const MOST_CHARACTERS = 32 * 1024 * 1024;

/** The sessions of the demo, in memory. The store of express-session keeps every session without a bound. */
export class BoundedSessionStore extends session.Store {
  readonly #sessions = new LRUCache<string, string>({
    max: MOST_SESSIONS,
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (text) => text.length,
  });

  override get(id: string, done: (error: unknown, found?: SessionData | null) => void): void {
    const text = this.#sessions.get(id);
    setImmediate(done, null, text === undefined ? null : JSON.parse(text));
  }

  override set(id: string, data: SessionData, done?: (error?: unknown) => void): void {
    this.#sessions.set(id, JSON.stringify(data));
    if (done) setImmediate(done);
  }

  override destroy(id: string, done?: (error?: unknown) => void): void {
    this.#sessions.delete(id);
    if (done) setImmediate(done);
  }
}
