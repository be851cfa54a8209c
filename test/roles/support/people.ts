import { createHmac } from 'node:crypto';
import { addSession } from '../../../src/domain/accounts/sessions.ts';
import { addStaff, type StaffRole } from '../../../src/domain/accounts/staff.ts';
import { formToken } from '../../../src/http/signin/browser-cookie.ts';
import { newOpaqueValue } from '../../../src/shared/ids.ts';
import { upsertAccount } from '../../../src/store/accounts/accounts.ts';
import type { Page } from '../../support/callers/cookie-walker.ts';
import type { System } from '../../support/bridge/system.ts';

/** One person for each role, signed in without the walk over the modern side, which sign-in.test.ts takes. */

export const ROLES = [
  'nobody',
  'stranger',
  'holder',
  'owner',
  'other-owner',
  'reader',
  'agent',
  'lead',
  'contact-sees',
  'contact-manages',
] as const;

export type Role = (typeof ROLES)[number];

export interface Visitor {
  role: Role;
  accountId: string;
  email: string;
  /** The hidden field of this session's forms. */
  formToken: string;
  send(method: string, path: string, body?: Record<string, string>): Promise<Page>;
}

const STAFF: ReadonlySet<Role> = new Set(['reader', 'agent', 'lead']);

/** Of `role`, the same in each run. */
export const accountOf = (role: Role) =>
  `5e1f0c9a7b3d4e2f8a6cff${String(ROLES.indexOf(role)).padStart(2, '0')}`;

/** Where its mails go. */
export const emailOf = (role: Role) => `of-${role}@people.example`;

/** A stream of events is left after its head. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  await response.body?.cancel();
  return '';
}

function sender(system: System, cookie: string): Visitor['send'] {
  return async (method, path, body) => {
    const url = `${system.bridgeUrl}${path}`;
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { cookie, accept: 'text/html,*/*;q=0.8' },
      ...(body && { body: new URLSearchParams(body) }),
    });
    const location = response.headers.get('location') ?? undefined;
    return {
      url,
      status: response.status,
      headers: response.headers,
      body: await textOf(response),
      location,
    };
  };
}

/** The cookie as the session library signs it. */
function cookieOf(id: string, secret: Buffer): string {
  const signature = createHmac('sha256', secret.toString('base64url')).update(id).digest('base64');
  return `gb_session=${encodeURIComponent(`s:${id}.${signature.replace(/=+$/, '')}`)}`;
}

async function signInAs(system: System, role: Role): Promise<Visitor> {
  const { context } = system.bridge;
  const [id, keys, now] = [newOpaqueValue(), context.vault.session(), context.clock.now()];
  const person = { accountId: accountOf(role), email: emailOf(role), name: `Person ${role}` };
  const account = { account_id: person.accountId, email: person.email, name: person.name, updated_at: now };
  await upsertAccount(context.store.durable, account);
  if (STAFF.has(role))
    await addStaff(context, {
      account: person.accountId,
      role: role as StaffRole,
      actor: 'command',
      requestId: null,
    });
  const content = JSON.stringify({ cookie: { path: '/' }, person, signedInAt: now });
  await addSession(context, id, { content, accountId: person.accountId, signedInAt: now });
  return {
    role,
    ...person,
    formToken: formToken(keys, id),
    send: sender(system, cookieOf(id, keys.active.secret)),
  };
}

/** Whoever has this role, signed in; `nobody` is not. */
export async function visitorOf(system: System, role: Role): Promise<Visitor> {
  if (role !== 'nobody') return signInAs(system, role);
  return { role, accountId: '', email: '', formToken: 'none', send: sender(system, '') };
}
