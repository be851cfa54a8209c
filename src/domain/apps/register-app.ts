import { normalEmail } from '../../shared/mail/address.ts';
import { newHexId, newLegacyToken, newOpaqueValue, tokenHint } from '../../shared/ids.ts';
import { tokensIn } from '../../shared/log/token-like.ts';
import { Refusal } from '../../shared/refusals/refusal.ts';
import { ensureAccount } from '../../store/accounts/accounts.ts';
import { addCallback, countAppsOf, findApp, insertApp, insertContacts } from '../../store/apps/apps.ts';
import { insertMapping } from '../../store/tokens/mappings.ts';
import type { Database } from '../../store/driver/store.ts';
import type { NewApp, NewMapping } from '../../store/tables/tables.ts';
import { isContact } from './app-contacts.ts';
import { callbackProblem, OUT_OF_BAND } from './callback-rule.ts';
import { ACCOUNT_ID_WORDS, readAccountId } from '../accounts/account-id.ts';
import type { AppsDeps } from './deps.ts';
import type { Origin } from '../origin.ts';
import { recordEvent, recordEvents } from '../history/record-event.ts';
import { requireUsableKey, withUsableKeys } from '../keys/retry-after-key-rotation.ts';

/** The data of a registration. The owner is an account id or an e-mail address. */
export interface Registration extends Origin {
  name: string;
  callbacks: readonly string[];
  /** Mail addresses of people who get the mails about the app that cannot be delivered to its owner. */
  contacts?: readonly string[];
  owner: string;
  /** Chosen beforehand, so that a form that is sent twice registers one app. */
  clientId?: string;
  /** Whether the owner registers the app on a page: then no staff has looked at the app. */
  isSelfRegistered?: boolean;
  /** Fixed values, for the demo on loopback alone. */
  fixed?: AppCredentials;
}

/** Shown once. The owner's token is for an owner who needs only one token. */
export interface AppCredentials {
  clientId: string;
  clientSecret: string;
  ownerToken: string;
}

type Field = 'name' | 'callback' | 'contact' | 'owner';

/** Why a registration is refused: one sentence for a person, shown beside the field. */
export interface RegistrationProblem {
  field: Field;
  /** The wrong entry, where the field has several entries. */
  entry?: string;
  text: string;
}

/** A registration that is refused, with every problem in words. */
export class RegistrationRefused extends Refusal {
  readonly problems: readonly RegistrationProblem[];
  constructor(problems: readonly RegistrationProblem[]) {
    const lines = problems.map(({ field, entry, text }) => `${[field, entry].join(' ').trim()}: ${text}`);
    super(lines.join('\n'));
    this.problems = problems;
  }
}

const EMAIL = /^[^\s@<>]+@[^\s@<>]+$/;
const NAME_LENGTH = 120;
const CALLBACKS = 20;
const CONTACTS = 10;
/** For one owner who is known by an account id. */
const APPS_OF_ONE_OWNER = 50;

/**
 * Characters without a shape are refused too: such a character would hide in a name, or turn the direction of the text
 * around it.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;

function nameProblems(name: string): RegistrationProblem[] {
  const length = Array.from(name).length;
  const isSound =
    name.trim() !== '' && length <= NAME_LENGTH && !UNPRINTABLE.test(name.replaceAll('\u200D', ''));
  if (!isSound) return [{ field: 'name', text: `1 to ${NAME_LENGTH} printable characters` }];
  return tokensIn(name).length > 0 ? [{ field: 'name', text: 'a name without a token or secret in it' }] : [];
}

/** A long id of the app's own in the path of a callback. Such an id is no token of the bridge: a token follows `1/`. */
const PATH_ID = /(?<=[^1]\/)[0-9a-f]{32,}(?=[/?#]|$)/gi;

/** A callback is part of the old app's authorization requests, which every visitor can read. */
const secretProblem = (callback: string) =>
  tokensIn(callback.replace(PATH_ID, '')).length > 0
    ? 'holds what looks like a token or secret; leave that out'
    : undefined;

function callbackProblems({ callbacks: entered, fixed }: Registration): RegistrationProblem[] {
  // The demo shows a code on a page, for people who try the demo in a terminal.
  const callbacks = fixed ? entered.filter((entry) => entry !== OUT_OF_BAND) : entered;
  if (callbacks.length === 0) return [{ field: 'callback', text: 'at least one address' }];
  if (callbacks.length > CALLBACKS)
    return [{ field: 'callback', text: `at most ${CALLBACKS} addresses, these are ${callbacks.length}` }];
  return callbacks.flatMap((entry) => {
    const text = callbackProblem(entry) ?? secretProblem(entry);
    return text === undefined ? [] : [{ field: 'callback', entry, text }];
  });
}

function contactProblems(contacts: readonly string[]): RegistrationProblem[] {
  if (contacts.length > CONTACTS)
    return [{ field: 'contact', text: `at most ${CONTACTS} addresses, these are ${contacts.length}` }];
  return contacts
    .filter((entry) => !isContact(entry))
    .map((entry) => ({ field: 'contact', entry, text: 'must be one mail address such as dev@example.com' }));
}

/** The owner as the row holds it; undefined for a text that names nobody. */
async function readOwner({ store }: AppsDeps, owner: string): Promise<string | undefined> {
  return EMAIL.test(owner) ? owner : readAccountId(store.durable, owner);
}

const NO_OWNER: RegistrationProblem = { field: 'owner', text: `${ACCOUNT_ID_WORDS} or an e-mail address` };

async function checked(context: AppsDeps, registration: Registration): Promise<Registration> {
  const { name, contacts = [] } = registration;
  const owner = await readOwner(context, registration.owner);
  const problems = [
    ...nameProblems(name),
    ...callbackProblems(registration),
    ...contactProblems(contacts),
    ...(owner === undefined ? [NO_OWNER] : []),
  ];
  if (owner === undefined || problems.length > 0) throw new RegistrationRefused(problems);
  return { ...registration, owner };
}

/** Runs in the transaction that added the app, so that two registrations at once do not both take the last place. */
async function requireRoom(tx: Database, owner: string | null): Promise<void> {
  if (owner === null || (await countAppsOf(tx, owner)) <= APPS_OF_ONE_OWNER) return;
  const text = `one owner can have at most ${APPS_OF_ONE_OWNER} apps`;
  throw new RegistrationRefused([{ field: 'owner', text }]);
}

/** The owner's own token waits until the owner authorizes the app once. */
const OWNER_TOKEN = 'the owner token of a registration';

function ownerMapping(context: AppsDeps, app: NewApp, token: string): NewMapping {
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
  const isAccount = !EMAIL.test(registration.owner);
  return {
    client_id: clientId,
    name: registration.name.trim(),
    owner_account_id: isAccount ? registration.owner : null,
    owner_email: isAccount ? null : normalEmail(registration.owner),
    source: registration.fixed ? 'demo' : 'registered',
    self_registered: registration.isSelfRegistered ? 1 : 0,
    created_at: now,
    retired_at: null,
  };
}

/** An address that was entered twice counts once. */
const once = (entries: readonly string[] = []) => [...new Set(entries)];

/**
 * Stores the app with everything that belongs to the app, in one transaction. False when the client id exists already.
 */
async function keepApp(
  context: AppsDeps,
  tx: Database,
  { registration, clientId, clientSecret, ownerToken }: AppCredentials & { registration: Registration },
): Promise<boolean> {
  const { callbacks, contacts, actor, requestId } = registration;
  const app = appRow(registration, clientId, context.clock.now());
  const secretDigest = context.vault.digest(clientSecret);
  await requireUsableKey(tx, 'digest', secretDigest);
  const details = { callbacks: once(callbacks), secretId: newHexId(), secretDigest };
  if (!(await insertApp(tx, app, details))) return false;
  const owner = app.owner_account_id ?? null;
  await requireRoom(tx, owner);
  await insertContacts(tx, clientId, once(contacts));
  const isNamed = owner !== null && (await ensureAccount(tx, owner, app.created_at));
  const mapping = ownerMapping(context, app, ownerToken);
  await insertMapping(tx, mapping);
  const by = { at: app.created_at, actor, requestId, clientId };
  const named = { ...by, action: 'account_named', reason: 'the owner of an app', accountId: owner };
  await recordEvents(context, tx, [
    ...(isNamed ? [named] : []),
    { ...by, action: 'app_registered', reason: 'registration' },
    { ...by, action: 'token_issued', reason: OWNER_TOKEN, mappingId: mapping.id, accountId: owner },
  ]);
  return true;
}

/**
 * Registers an app; undefined when its client id exists already.
 * @throws {RegistrationRefused}
 */
export async function registerApp(
  context: AppsDeps,
  entered: Registration,
): Promise<AppCredentials | undefined> {
  const registration = await checked(context, entered);
  const registered = {
    clientId: registration.fixed?.clientId ?? registration.clientId ?? newHexId(),
    clientSecret: registration.fixed?.clientSecret ?? newOpaqueValue(),
    ownerToken: registration.fixed?.ownerToken ?? newLegacyToken(),
  };
  const keep = (tx: Database) => keepApp(context, tx, { ...registered, registration });
  const isNew = await withUsableKeys(context, () => context.store.transaction(keep));
  return isNew ? registered : undefined;
}

/** Adds a callback to an app, unless the app has that callback already. */
export async function registerCallback(
  context: AppsDeps,
  { clientId, uri, actor }: { clientId: string; uri: string; actor: string },
): Promise<void> {
  const change = { actor, action: 'callback_added', reason: 'registration', clientId };
  await context.store.transaction(async (tx) => {
    if (!(await addCallback(tx, clientId, uri))) return;
    await recordEvent(context, tx, { at: context.clock.now(), ...change });
  });
}

/** A registered app with its callbacks; undefined when the app is unknown or retired. */
export function findRegisteredApp(context: AppsDeps, clientId: string): ReturnType<typeof findApp> {
  return findApp(context.store.durable, clientId);
}
