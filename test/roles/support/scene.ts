import { makeApiKey } from '../../../src/domain/api-keys/make-api-key.ts';
import { addSecret } from '../../../src/domain/apps/app-secrets.ts';
import { startRehearsal } from '../../../src/domain/lifecycle/changes/rehearse.ts';
import { reauthorizationLink } from '../../../src/domain/authorization/reauthorize.ts';
import { registerApp } from '../../../src/domain/apps/register-app.ts';
import { sealPair } from '../../../src/domain/grants/sealed-pair.ts';
import { newHexId, newOpaqueValue } from '../../../src/shared/ids.ts';
import { DAY } from '../../../src/shared/lifetimes.ts';
import { ensureAccount } from '../../../src/store/accounts/accounts.ts';
import { insertGrant } from '../../../src/store/grants/grants.ts';
import { keepModernClient, useModernClient } from '../../../src/store/apps/modern-clients.ts';
import type { LegacyApp } from '../../support/callers/authorize.ts';
import type { System } from '../../support/bridge/system.ts';
import { waitingToken } from '../../owners/support/people.ts';
import { accountOf, emailOf } from './people.ts';
import { confirmedEntry, revokedEntry } from './take-back-scene.ts';
import { givenUpWebhook, removeSupportWebhooks } from './webhook-scene.ts';

/** An app of the owner with a token of the holder, and whatever else an address of a page names. */
export interface Scene {
  clientId: string;
  secretId: string;
  /** What an address names, by the part before it; where an action needs another one, by what comes after it too. */
  ids: Readonly<Record<string, string>>;
  mappingId: string;
  /** The app that nobody has registered. */
  observedClientId: string;
  token: string;
  grantTokens: string[];
  /** A message that was given up, of a webhook of the app and of support. */
  messages: { app: string; support: string };
}

const CALLBACK = 'https://old-app.example/cb';

/** Of the app, beside its owner. */
export const CONTACT = 'one@team.example';

/** What the modern side has registered for an app of the owner. */
export const OWN_CLIENT = { clientId: 'planner', clientSecret: 'hush-hush', name: 'Planner' };

/** Who has a connection of the app, and never opens a page. */
const THIRD = '5e1f0c9a7b3d4e2f8a6cffff';

/** Under which a token waits that has no account. */
export const UNPROVEN = 'unproven@people.example';

/** The rows of the durable database. */
const rowsIn = ({ bridge }: System) => bridge.context.store.durable;

/** An app that nobody has registered, with a token. */
async function observedToken(system: System): Promise<{ id: string; clientId: string }> {
  const clientId = newHexId();
  const app = { client_id: clientId, name: 'old-cron/1.0', source: 'observed' as const, created_at: 0 };
  await rowsIn(system).insertInto('apps').values(app).execute();
  const { id } = await waitingToken(system, { app: { clientId, clientSecret: '', callback: '' } });
  return { id, clientId };
}

/** A token of a third person (one grant lives for an app and account), and a grant that serves it. */
async function servedToken(system: System, app: LegacyApp): Promise<{ id: string; tokens: string[] }> {
  const { context } = system.bridge;
  const [grantId, now, accountId] = [newHexId(), context.clock.now(), THIRD];
  const pair = { accessToken: newOpaqueValue(), refreshToken: newOpaqueValue(), lifetime: 3600_000 };
  const scope = 'account:read';
  const sealed = sealPair(context, { id: grantId, version: 1, sentAt: now }, { ...pair, scope });
  await ensureAccount(rowsIn(system), accountId, now);
  await insertGrant(rowsIn(system), {
    id: grantId,
    client_id: app.clientId,
    account_id: accountId,
    modern_client_id: 'bridge',
    state: 'ready',
    version: 1,
    access_token_sealed: sealed.accessTokenSealed,
    refresh_token_sealed: sealed.refreshTokenSealed,
    scope,
    access_expires_at: sealed.accessExpiresAt,
    refresh_at: sealed.refreshAt,
    created_at: now,
    updated_at: now,
    rotated_at: now,
  });
  const { id } = await waitingToken(system, { app, accountId, state: 'active' });
  await rowsIn(system).updateTable('mappings').set({ grant_id: grantId }).where('id', '=', id).execute();
  return { id, tokens: [pair.accessToken, pair.refreshToken] };
}

async function unreachedMail(system: System): Promise<string> {
  const [id, now] = [newHexId(), system.bridge.context.clock.now()];
  const mail = { id, person: `account:${newHexId()}`, day: '2026-11-22', replaces: '', attempts: 3 };
  const ended = { state: 'undeliverable' as const, failure: 'mailbox unknown', next_at: now, ended_at: now };
  await rowsIn(system)
    .insertInto('mails')
    .values({ ...mail, ...ended, address: 'gone@people.example', created_at: now })
    .execute();
  return id;
}

async function apiKey({ bridge }: System): Promise<string> {
  const asked = { name: 'A program', role: 'reader' as const, days: 30, actor: 'test', requestId: null };
  const made = await makeApiKey(bridge.context, asked);
  if (made === 'known') throw new Error('a key without a fixed id is never known');
  return made.id;
}

/** Two contacts who were given the pages of the app, and have proven their addresses. */
async function shareWithContacts({ store }: System['bridge']['context'], clientId: string): Promise<void> {
  const rows = (['contact-sees', 'contact-manages'] as const).map((role) => ({
    client_id: clientId,
    address: emailOf(role),
    access: role === 'contact-sees' ? ('read' as const) : ('manage' as const),
    access_email: emailOf(role),
    account_id: accountOf(role),
  }));
  await store.durable.insertInto('app_contacts').values(rows).execute();
}

async function ownedApp({ bridge }: System): Promise<LegacyApp> {
  const { context } = bridge;
  const asked = {
    name: 'Old App',
    callbacks: [CALLBACK],
    contacts: [CONTACT],
    actor: 'test',
    requestId: null,
  };
  const app = await registerApp(context, { ...asked, owner: accountOf('owner') });
  if (!app) throw new Error('an app without a fixed id is never known');
  const until = context.clock.now() + 90 * DAY;
  // As an earlier version kept it, whatever dates there are.
  const row = { id: newHexId(), client_id: app.clientId, name: 'retirement' as const, until };
  await context.store.durable
    .insertInto('extensions')
    .values({ ...row, reason: 'they asked', granted_by: 'test', granted_at: context.clock.now() })
    .execute();
  await shareWithContacts(context, app.clientId);
  await context.lifecycle.refresh();
  return { ...app, callback: CALLBACK };
}

/** The client that the app with something to act on used before. */
export const formerClientOf = (clientId: string) => `former-${clientId}`;
export const clientInUseOf = (clientId: string) => `used-${clientId}`;

/** The request that began the rehearsal, and left its entry in the history. */
const REHEARSAL_REQUEST = '6f1c2d3e-0a4b-4c5d-8e6f-7a8b9c0d1e2f';

/** An app of the owner in which an act finds room for a secret, an entered client, and a rehearsal that runs. */
async function readyApp(system: System): Promise<string> {
  const { context } = system.bridge;
  const { clientId } = await ownedApp(system);
  const client = {
    id: clientInUseOf(clientId),
    client_id: clientId,
    secret_sealed: null,
    scopes: 'account:read',
  };
  await keepModernClient(rowsIn(system), { ...client, proven_at: context.clock.now() });
  await useModernClient(rowsIn(system), clientId, client.id);
  const before = { ...client, id: formerClientOf(clientId), secret_sealed: 'sealed-secret' };
  await keepModernClient(rowsIn(system), { ...before, proven_at: context.clock.now() });
  await startRehearsal(context, {
    clientId,
    rehearses: 'retirement',
    actor: 'test',
    requestId: REHEARSAL_REQUEST,
  });
  return clientId;
}

/** Made anew where an act has used one up. */
export async function makeScene(system: System): Promise<Scene> {
  const { context } = system.bridge;
  const app = await ownedApp(system);
  const { clientId } = app;
  const [secretId, accountId] = [newHexId(), accountOf('holder')];
  await addSecret(context, { clientId, actor: 'test', requestId: null, id: secretId });
  const waiting = await waitingToken(system, { app, accountId });
  const observed = await observedToken(system);
  const served = await servedToken(system, app);
  const link = await reauthorizationLink(context, { clientId, accountId });
  const ready = await readyApp(system);
  const appHook = await givenUpWebhook(system, { kind: 'app', clientId });
  const supportHook = await givenUpWebhook(system, { kind: 'support', clientId: null });
  const ids = {
    webhooks: appHook.id,
    'support:webhooks': supportHook.id,
    apps: clientId,
    'apps/secrets': ready,
    'apps/modern-client/remove': ready,
    'apps/modern-client/handovers': ready,
    'apps/modern-client/retire-secret': ready,
    'apps/rehearse/stop': ready,
    secrets: secretId,
    connect: link.slice(-24),
    'prove-email': 'v'.repeat(43),
    desks: 'in-doubt',
    accounts: accountId,
    mails: await unreachedMail(system),
    'api-keys': await apiKey(system),
    mappings: waiting.id,
    requests: REHEARSAL_REQUEST,
    'mappings/assign': observed.id,
    'mappings/pin': (await waitingToken(system, { app, email: UNPROVEN })).id,
    'mappings/probe': served.id,
    history: await revokedEntry(system, app),
    handovers: await confirmedEntry(system, app),
  };
  return {
    clientId,
    secretId,
    ids,
    mappingId: waiting.id,
    observedClientId: observed.clientId,
    token: waiting.token,
    grantTokens: served.tokens,
    messages: { app: appHook.message, support: supportHook.message },
  };
}

/** Its apps are nobody's from here on, for one owner has no more than fifty; support has no more than five webhooks. */
export async function leaveScene(system: System, { clientId, ids }: Scene): Promise<void> {
  const [left, both] = [{ owner_account_id: null }, [clientId, ids['apps/secrets'] ?? '']];
  await rowsIn(system).updateTable('apps').set(left).where('client_id', 'in', both).execute();
  await removeSupportWebhooks(system);
}

/** The address of a route in the scene. */
export function pathIn({ ids }: Scene, pattern: string): string {
  const half = pattern.split('/')[1] ?? '';
  return pattern.replace(/([\w-]+)\/:\w+(?=\/(.+)|$)/g, (_whole, place: string, action = '') => {
    const id = ids[`${place}/${action}`] ?? ids[`${half}:${place}`] ?? ids[place];
    if (id === undefined) throw new Error(`the scene has nothing for ${pattern}`);
    return `${place}/${id}`;
  });
}
