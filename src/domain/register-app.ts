import { newHexId, newLegacyToken, newOpaqueValue, tokenHint } from '../shared/ids.ts';
import { ensureAccount } from '../store/accounts.ts';
import { addCallback, findApp, insertApp } from '../store/apps.ts';
import { insertMapping } from '../store/mappings.ts';
import type { Database } from '../store/store.ts';
import type { NewApp, NewMapping } from '../store/tables.ts';
import { callbackProblem } from './callback-rule.ts';
import type { Context } from './context.ts';
import { recordEvent, recordEvents } from './record-event.ts';
import { requireUsable, withUsableKeys } from './under-all-keys.ts';

/** What an app is registered with. The owner is an account id (24 hex digits) or an e-mail address. */
export interface Registration {
  name: string;
  callbacks: readonly string[];
  owner: string;
  actor: string;
  /** Fixed values, for the demo on loopback alone. */
  fixed?: Registered;
}

/** Shown once. The owner's token is for an owner who needs one token only (specification 5.10.7). */
export interface Registered {
  clientId: string;
  clientSecret: string;
  ownerToken: string;
}

/** A registration that cannot be accepted, with every problem in words. */
class RegistrationRefused extends Error {
  override readonly name = 'RegistrationRefused';
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

const ACCOUNT_ID = /^[0-9a-f]{24}$/;
const EMAIL = /^[^\s@<>]+@[^\s@<>]+$/;

function check({ name, callbacks, owner }: Registration): void {
  const problems = [
    name.trim() === '' || name.length > 120 || /[\p{Cc}]/u.test(name)
      ? ['name: 1 to 120 printable characters']
      : [],
    callbacks.length === 0 ? ['callback: at least one address'] : [],
    callbacks.flatMap((uri) => {
      const problem = callbackProblem(uri);
      return problem === undefined ? [] : [`callback ${uri}: ${problem}`];
    }),
    ACCOUNT_ID.test(owner) || EMAIL.test(owner)
      ? []
      : ['owner: an account id (24 hex digits) or an e-mail address'],
  ].flat();
  if (problems.length > 0) throw new RegistrationRefused(problems);
}

/** The owner's own token waits until its owner authorizes the app once. */
function ownerMapping(context: Context, app: NewApp, token: string): NewMapping {
  const hint = tokenHint(token);
  return {
    id: newHexId(),
    token_digest: context.vault.digest(token),
    hint_first: hint.first,
    hint_last: hint.last,
    client_id: app.client_id,
    account_id: app.owner_account_id ?? null,
    state: 'unmapped',
    source: 'registration',
    created_at: app.created_at,
    updated_at: app.created_at,
  };
}

function appRow(registration: Registration, clientId: string, now: number): NewApp {
  const isAccount = ACCOUNT_ID.test(registration.owner);
  return {
    client_id: clientId,
    name: registration.name.trim(),
    owner_account_id: isAccount ? registration.owner : null,
    owner_email: isAccount ? null : registration.owner,
    source: registration.fixed ? 'demo' : 'registered',
    created_at: now,
    retired_at: null,
  };
}

/**
 * Registers an app; undefined when its fixed client id exists already.
 * @throws {RegistrationRefused}
 */
export async function registerApp(
  context: Context,
  registration: Registration,
): Promise<Registered | undefined> {
  check(registration);
  const clientId = registration.fixed?.clientId ?? newHexId();
  const clientSecret = registration.fixed?.clientSecret ?? newOpaqueValue();
  const ownerToken = registration.fixed?.ownerToken ?? newLegacyToken();
  const app = appRow(registration, clientId, context.clock.now());
  const inOneStep = async (tx: Database) => {
    const secretDigest = context.vault.digest(clientSecret);
    await requireUsable(tx, 'digest', secretDigest);
    const details = { callbacks: registration.callbacks, secretId: newHexId(), secretDigest };
    if (!(await insertApp(tx, app, details))) return false;
    const owner = app.owner_account_id ?? null;
    const isNamed = owner !== null && (await ensureAccount(tx, owner, app.created_at));
    const mapping = ownerMapping(context, app, ownerToken);
    await insertMapping(tx, mapping);
    const by = { at: app.created_at, actor: registration.actor, clientId };
    const named = { ...by, action: 'account_named', reason: 'the owner of an app', accountId: owner };
    await recordEvents(context, tx, [
      ...(isNamed ? [named] : []),
      { ...by, action: 'app_registered', reason: 'registration' },
      { ...by, action: 'token_issued', reason: 'the owner token of a registration', mappingId: mapping.id },
    ]);
    return true;
  };
  const added = await withUsableKeys(context, () => context.store.transaction(inOneStep));
  return added ? { clientId, clientSecret, ownerToken } : undefined;
}

/** Adds a callback to an app, if it does not have it yet. */
export async function registerCallback(
  context: Context,
  { clientId, uri, actor }: { clientId: string; uri: string; actor: string },
): Promise<void> {
  const change = { actor, action: 'callback_added', reason: 'registration', clientId };
  await context.store.transaction(async (tx) => {
    if (!(await addCallback(tx, clientId, uri))) return;
    await recordEvent(context, tx, { at: context.clock.now(), ...change });
  });
}

/** A registered app with its callbacks; undefined when unknown or retired. */
export function findRegisteredApp(context: Context, clientId: string): ReturnType<typeof findApp> {
  return findApp(context.store.durable, clientId);
}
