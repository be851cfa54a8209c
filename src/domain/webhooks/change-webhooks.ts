import { DAY } from '../../shared/lifetimes.ts';
import { ownerOf } from '../../store/apps/apps.ts';
import type { Database } from '../../store/driver/store.ts';
import { readHead } from '../../store/history/events.ts';
import { keepHistoryPlace } from '../../store/webhooks/reading.ts';
import { hasWebhookSecret, insertWebhookSecret, retireWebhookSecret } from '../../store/webhooks/secrets.ts';
import {
  deleteWebhook,
  hasWebhooks,
  insertWebhook,
  listWebhooks,
  lockWebhook,
  readWebhook,
  type WebhookOwner,
  type WebhookRow,
} from '../../store/webhooks/webhooks.ts';
import { CHAIN_START } from '../history/chain.ts';
import { recordEvent } from '../history/record-event.ts';
import { requireUsableKey, withUsableKeys } from '../keys/retry-after-key-rotation.ts';
import { signingPlace } from '../keys/sealing-context.ts';
import type { Origin } from '../origin.ts';
import { type AddressProblem, findAddressProblem } from './address.ts';
import type { WebhooksDeps } from './deps.ts';
import { eventsAmong } from './events.ts';
import { newSigningSecret } from './signature.ts';

/**
 * Webhooks are added and removed, and their secrets changed, by the people whose they are. A secret is returned once and is
 * sealed in the database. The history names the host of a webhook.
 */

/** The most webhooks of one app, of support, and of the operator. */
export const WEBHOOKS_MAX = 5;

/** After a change of the secret the former one signs too for this long. */
const FORMER_SIGNS = 1 * DAY;

interface NewSecret {
  id: string;
  webhookId: string;
  now: number;
}

/** Makes a secret and keeps it sealed. Returns it, this once. */
async function makeSecret({ vault }: WebhooksDeps, tx: Database, made: NewSecret): Promise<string> {
  const secret = newSigningSecret();
  const sealed = vault.seal(signingPlace(made.id), secret);
  await requireUsableKey(tx, 'sealing', sealed);
  const row = { id: made.id, webhook_id: made.webhookId, created_at: made.now };
  await insertWebhookSecret(tx, { ...row, signing_sealed: sealed });
  return secret;
}

type ChangeName = 'webhook_added' | 'webhook_removed' | 'webhook_secret_changed';

async function recordChange(
  context: WebhooksDeps,
  tx: Database,
  change: Origin & { action: ChangeName; webhook: Pick<WebhookRow, 'id' | 'url' | 'events' | 'client_id'> },
): Promise<void> {
  const { webhook, ...entry } = change;
  const reason = `${new URL(webhook.url).host} (${webhook.id}): ${webhook.events}`;
  await recordEvent(context, tx, { ...entry, reason, at: context.clock.now(), clientId: webhook.client_id });
}

/** The first webhook hears what happens from now on, so the history before is passed over. */
async function beginReading(tx: Database): Promise<void> {
  if (!(await hasWebhooks(tx))) await keepHistoryPlace(tx, (await readHead(tx)) ?? CHAIN_START);
}

interface WebhookToAdd extends Origin {
  /** Chosen beforehand, so that a form that is sent twice adds one webhook. */
  id: string;
  owner: WebhookOwner;
  /** Of the webhook of an app: the account that must own the app still when the webhook is kept. */
  ownerId?: string | undefined;
  url: string;
  events: readonly string[];
}

/** `known`: a webhook with this id was added before. `other owner`: the app was given to another account meanwhile. */
export type AddedWebhook =
  | { secret: string }
  | 'known'
  | 'full'
  | 'no event'
  | 'other owner'
  | AddressProblem;

async function addInOneStep(context: WebhooksDeps, tx: Database, asked: WebhookToAdd): Promise<AddedWebhook> {
  const { id, owner, ownerId, url, actor, requestId } = asked;
  if (ownerId !== undefined && (await ownerOf(tx, owner.clientId ?? '')) !== ownerId) return 'other owner';
  const present = await listWebhooks(tx, owner);
  if (present.some((one) => one.id === id)) return 'known';
  if (present.length >= WEBHOOKS_MAX) return 'full';
  const now = context.clock.now();
  const events = eventsAmong(owner.kind, asked.events).join(' ');
  const row = { id, kind: owner.kind, client_id: owner.clientId, url: new URL(url).href, events };
  await beginReading(tx);
  await insertWebhook(tx, { ...row, made_by: actor, created_at: now });
  await recordChange(context, tx, { actor, requestId, action: 'webhook_added', webhook: row });
  return { secret: await makeSecret(context, tx, { id, webhookId: id, now }) };
}

/** Adds a webhook. The name of its host is looked up before the database is asked for anything. */
export async function addWebhook(context: WebhooksDeps, asked: WebhookToAdd): Promise<AddedWebhook> {
  const problem = await findAddressProblem(context, asked.url);
  if (problem !== undefined) return problem;
  if (eventsAmong(asked.owner.kind, asked.events).length === 0) return 'no event';
  return withUsableKeys(context, () => context.store.transaction((tx) => addInOneStep(context, tx, asked)));
}

interface WebhookChange extends Origin {
  id: string;
  owner: WebhookOwner;
}

/** A webhook of this owner; undefined for an unknown id and for a webhook of somebody else. */
export async function webhookOf(
  db: Database,
  { id, owner }: Pick<WebhookChange, 'id' | 'owner'>,
): Promise<WebhookRow | undefined> {
  const found = await readWebhook(db, id);
  return found?.kind === owner.kind && found.client_id === owner.clientId ? found : undefined;
}

/** As `webhookOf`, for a transaction that changes the webhook, its messages or its secrets. */
export async function webhookToChange(
  tx: Database,
  asked: Pick<WebhookChange, 'id' | 'owner'>,
): Promise<WebhookRow | undefined> {
  const found = await webhookOf(tx, asked);
  if (found) await lockWebhook(tx, found.id);
  return found;
}

/** Removes a webhook with its messages; false where it is not there. */
export async function removeWebhook(context: WebhooksDeps, asked: WebhookChange): Promise<boolean> {
  const { actor, requestId } = asked;
  return context.store.transaction(async (tx) => {
    const webhook = await webhookToChange(tx, asked);
    if (!webhook || !(await deleteWebhook(tx, webhook.id))) return false;
    await recordChange(context, tx, { actor, requestId, action: 'webhook_removed', webhook });
    return true;
  });
}

/**
 * Gives a webhook a new secret. For a day messages are signed with the former one too, so that the receiver changes over
 * without a gap.
 */
export async function changeWebhookSecret(
  context: WebhooksDeps,
  { secretId, ...asked }: WebhookChange & { secretId: string },
): Promise<{ secret: string } | 'known' | undefined> {
  const { actor, requestId } = asked;
  const inOneStep = async (tx: Database) => {
    const webhook = await webhookToChange(tx, asked);
    if (!webhook) return undefined;
    if (await hasWebhookSecret(tx, secretId)) return 'known';
    const now = context.clock.now();
    await retireWebhookSecret(tx, webhook.id, now + FORMER_SIGNS);
    const secret = await makeSecret(context, tx, { id: secretId, webhookId: webhook.id, now });
    await recordChange(context, tx, { actor, requestId, action: 'webhook_secret_changed', webhook });
    return { secret };
  };
  return withUsableKeys(context, () => context.store.transaction(inOneStep));
}
