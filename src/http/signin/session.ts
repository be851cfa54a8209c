import type { Request, RequestHandler, Response } from 'express';
import session, { type SessionData } from 'express-session';
import type { SigninDeps } from './deps.ts';
import {
  addSession,
  endSession,
  endSessionsWhere,
  openSession,
  saveSession,
  touchSession,
} from '../../domain/accounts/sessions.ts';
import { companyActor, type CompanyPerson, companyRole } from '../../domain/accounts/company-staff.ts';
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
    /** Not in a session of `staff`. */
    person: SignedInPerson;
    /** Somebody who signed in at the identity provider of the operator, and is no account here. */
    staff: CompanyPerson;
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

/** Whose sessions end together. No account id has the form of a person of the company. */
const holderOf = ({ person, staff }: Pick<SessionData, 'person'> & Partial<SessionData>): string =>
  staff ? companyActor(staff) : person.accountId;

class DatabaseStore extends session.Store {
  readonly #context: SigninDeps;
  constructor(context: SigninDeps) {
    super();
    this.#context = context;
  }
  override get(id: string, done: StoreCallback<SessionData | null>): void {
    const read = async () => {
      const open = await openSession(this.#context, id);
      return open === undefined ? null : this.#stillValid(open);
    };
    answer(read(), done);
  }
  /** A session of staff is over when the settings give the person no role any more. */
  #stillValid({ content, endsAt }: { content: string; endsAt: number }): SessionData | null {
    const data = { ...(JSON.parse(content) as SessionData), endsAt };
    const { staff } = data as Partial<SessionData>;
    return staff && !companyRole(this.#context.settings.company, staff) ? null : data;
  }
  /** How long a session lasts at most, if not as usual. */
  #lifetimeOf({ staff }: Partial<SessionData>): number | undefined {
    return staff && this.#context.settings.company?.sessionLifetime;
  }
  override set(id: string, data: SessionData, done?: StoreCallback): void {
    const { endsAt, ...rest }: Partial<SessionData> = data;
    const content = JSON.stringify(rest);
    const kept = { content, signedInAt: data.signedInAt, lifetime: this.#lifetimeOf(data) };
    // A session that is stored says when it ends. The library stores one that begins twice: at its start, and with the answer.
    const add = async () => {
      data.endsAt = await addSession(this.#context, id, { ...kept, accountId: holderOf(data) });
    };
    answer(endsAt === undefined ? add() : saveSession(this.#context, id, kept), done);
  }
  /** The library calls this method at the end of a request that changed nothing. */
  override touch(id: string, data: SessionData, done?: () => void): void {
    if (unattended.has(data)) return done?.();
    const { signedInAt, endsAt } = data;
    const start = { signedInAt, lifetime: this.#lifetimeOf(data) };
    answer(touchSession(this.#context, id, { ...start, endsAt }), done as StoreCallback | undefined);
  }
  override destroy(id: string, done?: StoreCallback): void {
    const end = async () => void (await endSession(this.#context, id));
    answer(end(), done);
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

/** The account holder who is signed in in this browser. */
export function personOf(req: Request): SignedInPerson | undefined {
  return req.session.person;
}

/** The member of staff who is signed in in this browser by the company. */
export function companyStaffOf(req: Request): CompanyPerson | undefined {
  return req.session.staff;
}

/** Whether anybody is signed in in this browser. */
export const isSignedIn = (req: Request): boolean =>
  personOf(req) !== undefined || companyStaffOf(req) !== undefined;

/**
 * Since when the person is signed in in this browser. `idleEnd`: when the session ends without a further request.
 * `latest`: when the session ends at the latest.
 */
export function sessionTimes({ session: { signedInAt = 0 } }: Request, now: number) {
  const latest = signedInAt + SESSION_LIFETIME;
  return { signedInAt, idleEnd: Math.min(now + SESSION_IDLE, latest), latest };
}

/** Who signs in: an account holder, or somebody of the company. */
export type WhoSignsIn = { person: SignedInPerson } | { staff: CompanyPerson };

/**
 * Signs a person in, under a new session id. A session id that an attacker planted before opens nothing
 * (docs/threats.md B45).
 */
export function startSession(req: Request, who: WhoSignsIn, signedInAt: number): Promise<void> {
  return new Promise((resolve, reject) => {
    req.session.regenerate((error: unknown) => {
      if (error) return reject(error);
      Object.assign(req.session, { ...who, signedInAt });
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

/**
 * Ends the sessions of somebody of the company that began with a value which is gone: the company does not say it any more, or
 * the settings do not name it. The questions that wait with such a value end too. The values are compared, not the roles: other
 * settings may give a value another role.
 */
export function endFormerRoles(context: SigninDeps, staff: CompanyPerson): Promise<void> {
  return endSessionsWhere(context, companyActor(staff), (content) => {
    const { staff: own, switchTo } = JSON.parse(content) as Partial<SessionData>;
    const held = own ?? (switchTo && 'staff' in switchTo ? switchTo.staff : undefined);
    return !held?.values.every((value) => staff.values.includes(value));
  });
}

/** Loads the session for the return of a sign-in. Other returns do not depend on sessions. */
export function loadSession(
  { sessions: read }: { sessions: RequestHandler },
  req: Request,
  res: Response,
): Promise<void> {
  return new Promise((resolve, reject) => {
    void read(req, res, (error?: unknown) => (error ? reject(error) : resolve()));
  });
}
