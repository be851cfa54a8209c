import type { Request, RequestHandler } from 'express';
import session, { type SessionData } from 'express-session';
import type { SigninDeps } from './deps.ts';
import { endSession, openSession, saveSession, touchSession } from '../../domain/accounts/sessions.ts';
import { newOpaqueValue } from '../../shared/ids.ts';
import { SESSION_IDLE, SESSION_LIFETIME } from '../../shared/lifetimes.ts';

/**
 * The sessions of signed-in people, with their account at the new API (docs/decisions/0017). The bridge keeps no
 * passwords.
 */

/** The person of a browser, as the new API named them at the sign-in. */
export interface SignedInPerson {
  accountId: string;
  email: string;
  name: string;
}

declare module 'express-session' {
  interface SessionData {
    person: SignedInPerson;
    signedInAt: number;
    /**
     * When the session ends without a further request, as of the start of this request. Not part of the stored content.
     */
    endsAt: number;
  }
}

type StoreCallback<T = void> = (error: unknown, value?: T) => void;

/** Calls the library back when the work is done. */
function answer<T>(work: Promise<T>, done: StoreCallback<T> | undefined): void {
  work.then(
    (value) => done?.(null, value),
    (error: unknown) => done?.(error),
  );
}

/** Sessions of requests that a page sends by itself. */
const unattended = new WeakSet<object>();

/** Marks a request that no person made. Such a request does not keep the person signed in. */
export function markUnattended(req: Request): void {
  unattended.add(req.session);
}

class DatabaseStore extends session.Store {
  readonly #context: SigninDeps;
  constructor(context: SigninDeps) {
    super();
    this.#context = context;
  }
  override get(id: string, done: StoreCallback<SessionData | null>): void {
    const read = async () => {
      const open = await openSession(this.#context, id);
      return open === undefined
        ? null
        : { ...(JSON.parse(open.content) as SessionData), endsAt: open.endsAt };
    };
    answer(read(), done);
  }
  override set(id: string, data: SessionData, done?: StoreCallback): void {
    const { endsAt: _endsAt, ...content } = data;
    const { person, signedInAt } = data;
    const kept = { content: JSON.stringify(content), accountId: person.accountId, signedInAt };
    answer(saveSession(this.#context, id, kept), done);
  }
  /** The library calls this method at the end of a request that changed nothing. */
  override touch(id: string, data: SessionData, done?: () => void): void {
    if (unattended.has(data)) return done?.();
    const { signedInAt, endsAt } = data;
    answer(touchSession(this.#context, id, { signedInAt, endsAt }), done as StoreCallback | undefined);
  }
  override destroy(id: string, done?: StoreCallback): void {
    answer(endSession(this.#context, id), done);
  }
}

/**
 * The library on our store. The library signs the cookie with the session keys, so it is built anew when the keys
 * change.
 */
export function sessions(context: SigninDeps): RequestHandler {
  const isSecure = context.settings.publicUrl.startsWith('https:');
  const store = new DatabaseStore(context);
  const build = (secret: string[]) =>
    session({
      name: isSecure ? '__Host-gb_session' : 'gb_session',
      secret,
      store,
      genid: newOpaqueValue,
      resave: false,
      saveUninitialized: false,
      cookie: { httpOnly: true, sameSite: 'lax', secure: isSecure, path: '/', maxAge: SESSION_LIFETIME },
    });
  let known: { keys: string; handler: RequestHandler } | undefined;
  return (req, res, next) => {
    const { active, all } = context.vault.session();
    const keys = [active, ...all.filter(({ id }) => id !== active.id)];
    const ids = keys.map(({ id }) => id).join();
    if (known?.keys !== ids) {
      known = { keys: ids, handler: build(keys.map(({ secret }) => secret.toString('base64url'))) };
    }
    return known.handler(req, res, next);
  };
}

/** The person who is signed in in this browser. */
export function personOf(req: Request): SignedInPerson | undefined {
  return req.session.person;
}

/**
 * Since when the person is signed in in this browser. `idleEnd`: when the session ends without a further request.
 * `latest`: when the session ends at the latest.
 */
export function sessionTimes({ session: { signedInAt = 0 } }: Request, now: number) {
  const latest = signedInAt + SESSION_LIFETIME;
  return { signedInAt, idleEnd: Math.min(now + SESSION_IDLE, latest), latest };
}

/**
 * Signs a person in, under a new session id. A session id that an attacker planted before opens nothing
 * (docs/threats.md B45).
 */
export function startSession(req: Request, person: SignedInPerson, signedInAt: number): Promise<void> {
  return new Promise((resolve, reject) => {
    req.session.regenerate((error: unknown) => {
      if (error) return reject(error);
      Object.assign(req.session, { person, signedInAt });
      req.session.save((failure: unknown) => (failure ? reject(failure) : resolve()));
    });
  });
}

/** Signs the browser out. */
export function signOut(req: Request): Promise<void> {
  return new Promise((resolve, reject) => {
    req.session.destroy((error: unknown) => (error ? reject(error) : resolve()));
  });
}
