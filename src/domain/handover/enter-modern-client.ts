import { findApp } from '../../store/apps/apps.ts';
import {
  findModernClient,
  findModernClientOf,
  isTakenByOther,
  keepModernClient,
  setHandovers,
  useModernClient,
} from '../../store/apps/modern-clients.ts';
import type { Database } from '../../store/driver/store.ts';
import type { ModernClient } from '../../upstream/authorization-server.ts';
import type { ClientFault } from '../../upstream/prove-client.ts';
import type { HandoverDeps } from './deps.ts';
import type { Origin } from '../origin.ts';
import { openWritesBy } from './open-writes.ts';
import { callbackPathOf } from '../grants/modern-client.ts';
import { recordEvent } from '../history/record-event.ts';
import { clientSecretPlace } from '../keys/sealing-context.ts';
import { requireUsableKey, withUsableKeys } from '../keys/retry-after-key-rotation.ts';

/**
 * An app's own client at the new API (docs/decisions/0001). Once the client is entered, new consents name the app and
 * use the client. Earlier grants stay on the client that obtained them: no other client may present their refresh
 * tokens.
 */

/** The scopes that an owner chooses from. */
export const CHOSEN_SCOPES = [
  'posts:read',
  'posts:write',
  'ideas:read',
  'ideas:write',
  'snippets:read',
  'snippets:write',
  'account:write',
] as const;

/** Without the first scope, accounts could not be told apart. Without the second scope, a grant would not last. */
const ALWAYS = ['account:read', 'offline_access'];

interface ClientEntry extends Origin {
  clientId: string;
  /** The account of the owner who enters it. It must own the app still when the client is kept. */
  ownerId: string;
  modernClientId: string;
  /** Unset for a public client. */
  clientSecret?: string | undefined;
  scopes: readonly string[];
  /** Whether the former client of the app may still take token pairs. */
  keepsHandovers?: boolean;
  /** The client that the owner has seen in use; empty for none. */
  seenClient: string;
}

type EntryFault =
  | 'client id'
  | 'client secret'
  | 'retired secret'
  | 'bridge client'
  | 'other app'
  | 'unknown app'
  | 'other owner'
  | 'other client in use'
  | 'writes in doubt';

/** Why a client was not entered: the entry is wrong, or the new API refused the client. */
export type ClientRefusal = { at: EntryFault } | ClientFault;

const PRINTABLE = /^[\x21-\x7e]{1,500}$/;

function entryFault(
  context: HandoverDeps,
  { modernClientId, clientSecret }: ClientEntry,
): EntryFault | undefined {
  if (!PRINTABLE.test(modernClientId)) return 'client id';
  if (clientSecret !== undefined && !PRINTABLE.test(clientSecret)) return 'client secret';
  return modernClientId === context.server.clientId ? 'bridge client' : undefined;
}

/** The scopes in one order and each once, so that the same choice gives the same text. */
function scopesOf({ scopes }: ClientEntry): string {
  const [account = '', offline = ''] = ALWAYS;
  return [account, ...CHOSEN_SCOPES.filter((scope) => scopes.includes(scope)), offline].join(' ');
}

/** A secret that was retired here is likely known to others, even where the new API still accepts the secret. */
async function isRetired(context: HandoverDeps, db: Database, entered: ClientEntry): Promise<boolean> {
  const row = await findModernClient(db, entered.modernClientId);
  if (!row || row.secret_sealed === null || row.secret_retired_at === null) return false;
  return context.vault.open(clientSecretPlace(row.id), row.secret_sealed) === entered.clientSecret;
}

/** What the database says against the client. Checked before the test call and again in the transaction. */
async function knownFault(
  context: HandoverDeps,
  db: Database,
  entered: ClientEntry,
): Promise<EntryFault | undefined> {
  const app = await findApp(db, entered.clientId);
  if (!app) return 'unknown app';
  if (app.owner_account_id !== entered.ownerId) return 'other owner';
  if (await isStale(db, entered)) return 'other client in use';
  if (await isTakenByOther(db, entered.modernClientId, entered.clientId)) return 'other app';
  return (await isRetired(context, db, entered)) ? 'retired secret' : undefined;
}

/**
 * Whether the app uses another client than the owner has seen. The entry would decide about hand-overs of that client.
 * A form that was sent twice finds its own client in use.
 */
async function isStale(db: Database, entered: ClientEntry): Promise<boolean> {
  const inUse = (await findModernClientOf(db, entered.clientId))?.id ?? '';
  return inUse !== entered.seenClient && inUse !== entered.modernClientId;
}

/** Writes in doubt keep a client in use. A write under way does not: a busy app always has some. */
async function hasDoubts(context: HandoverDeps, tx: Database, modernClientId: string): Promise<boolean> {
  return (await openWritesBy(context, tx, { modernClientId })).inDoubt > 0;
}

/**
 * A former client takes no token pairs any more, unless the owner lets its hand-overs go on. False where the former
 * client cannot be left yet.
 */
async function leaveFormer(
  context: HandoverDeps,
  tx: Database,
  { clientId, modernClientId, keepsHandovers = false, actor, requestId }: ClientEntry,
): Promise<boolean> {
  const former = await findModernClientOf(tx, clientId);
  if (!former || former.id === modernClientId) return true;
  if (await hasDoubts(context, tx, former.id)) return false;
  await setHandovers(tx, { id: former.id, clientId }, keepsHandovers);
  const action = keepsHandovers ? 'modern_client_handovers_kept' : 'modern_client_handovers_ended';
  const left = { actor, requestId, action, reason: `client ${former.id}`, clientId };
  await recordEvent(context, tx, { at: context.clock.now(), ...left });
  return true;
}

interface ProvenClientEntry extends ClientEntry {
  scope: string;
}

async function keep(
  context: HandoverDeps,
  tx: Database,
  proven: ProvenClientEntry,
): Promise<EntryFault | undefined> {
  const { clientId, modernClientId: id, clientSecret, actor, requestId, scope } = proven;
  const fault = await knownFault(context, tx, proven);
  if (fault) return fault;
  const now = context.clock.now();
  const sealed = clientSecret === undefined ? null : context.vault.seal(clientSecretPlace(id), clientSecret);
  if (sealed !== null) await requireUsableKey(tx, 'sealing', sealed);
  const row = { id, client_id: clientId, secret_sealed: sealed, scopes: scope, proven_at: now };
  if (!(await leaveFormer(context, tx, proven))) return 'writes in doubt';
  await keepModernClient(tx, row);
  await useModernClient(tx, clientId, id);
  const reason = `client ${id}, ${clientSecret === undefined ? 'public' : 'confidential'}, for ${scope}`;
  const by = { at: now, actor, requestId };
  await recordEvent(context, tx, { ...by, action: 'modern_client_entered', reason, clientId });
  return undefined;
}

/**
 * Enters an app's own client after a test call has proven the client; undefined on success. Entering the client again
 * replaces its secret and scopes, also for its existing grants.
 * @throws {Unavailable} the test call showed nothing; nothing was changed
 */
export async function enterModernClient(
  context: HandoverDeps,
  entered: ClientEntry,
): Promise<ClientRefusal | undefined> {
  const before = entryFault(context, entered) ?? (await knownFault(context, context.store.durable, entered));
  if (before) return { at: before };
  const client: ModernClient = { clientId: entered.modernClientId, clientSecret: entered.clientSecret };
  const scope = scopesOf(entered);
  const isPublic = entered.clientSecret === undefined;
  const redirectUri = context.settings.publicUrl + callbackPathOf(entered.clientId, isPublic);
  const fault = await context.server.prove(client, { redirectUri, scope });
  if (fault) return fault;
  const work = (tx: Database) => keep(context, tx, { ...entered, scope });
  const at = await withUsableKeys(context, () => context.store.transaction(work));
  return at && { at };
}

interface Removal extends Origin {
  clientId: string;
  /** The client that the owner has seen in use. */
  modernClientId: string;
  keepsHandovers: boolean;
}

/** The outcome of a removal. */
export type RemovalResult = 'removed' | 'not in use' | 'writes in doubt';

async function remove(context: HandoverDeps, tx: Database, removal: Removal): Promise<RemovalResult> {
  const { clientId, actor, requestId, keepsHandovers } = removal;
  const client = await findModernClientOf(tx, clientId);
  if (client?.id !== removal.modernClientId) return 'not in use';
  if (await hasDoubts(context, tx, client.id)) return 'writes in doubt';
  await useModernClient(tx, clientId, null);
  await setHandovers(tx, { id: client.id, clientId }, keepsHandovers);
  const reason = `client ${client.id}${keepsHandovers ? ', hand-overs go on' : ''}`;
  const removed = { actor, requestId, action: 'modern_client_removed', reason, clientId };
  await recordEvent(context, tx, { at: context.clock.now(), ...removed });
  return 'removed';
}

/**
 * Makes consents for an app use the bridge's client again. The removed client takes no token pairs any more, unless the
 * owner lets its hand-overs go on. While writes by the client are in doubt, nothing changes.
 */
export function removeModernClient(context: HandoverDeps, removal: Removal): Promise<RemovalResult> {
  return context.store.transaction((tx) => remove(context, tx, removal));
}

/** The app's own client, without its secret. `provenAt` is in Unix milliseconds. */
export interface EnteredClient {
  id: string;
  isConfidential: boolean;
  scopes: string[];
  provenAt: number;
}

/** The app's own client, if consents for the app use it now. */
export async function enteredClientOf(
  context: HandoverDeps,
  clientId: string,
): Promise<EnteredClient | undefined> {
  const row = await findModernClientOf(context.store.durable, clientId);
  if (!row) return undefined;
  const { id, secret_sealed: sealed, scopes, proven_at: provenAt } = row;
  return { id, isConfidential: sealed !== null, scopes: scopes.split(' '), provenAt };
}
