import type { Context } from '../domain/context.ts';
import { keepProgress } from '../domain/progress/keep-progress.ts';
import { recordEvents } from '../domain/history/record-event.ts';
import { chunksOf } from '../shared/chunks-of.ts';
import { DAY } from '../shared/lifetimes.ts';
import { momentText } from '../shared/moments.ts';
import { upsertAccount } from '../store/accounts/accounts.ts';
import { insertApp, insertContacts } from '../store/apps/apps.ts';
import { insertExtension } from '../store/lifecycle/extensions.ts';
import { insertHandover } from '../store/grants/handovers.ts';
import { insertionOf } from '../store/driver/many-rows.ts';
import { insertUnidentified } from '../store/tokens/observed.ts';
import { insertPlanned } from '../store/reminders/reminders.ts';
import { keepRole } from '../store/accounts/staff.ts';
import type { Database } from '../store/driver/store.ts';
import { countCallsSince } from '../store/usage/known-calls.ts';
import { addUsage } from '../store/usage/usage.ts';
import { CALENDAR, CAMPAIGN, DEMO_APPS, type DemoApp, DESK } from './apps.ts';
import { demoHistory } from './history.ts';
import { IMPORTED_AGO, type SeededPair, layPairs, momentAgo } from './life.ts';
import { mailRows } from './mail-rows.ts';
import { DEMO_PEOPLE } from './people.ts';
import { progressOfAllRows, progressRows } from './progress-rows.ts';
import { grantRow, handoverRow, mappingRows } from './rows.ts';
import { demoPairs } from './tokens.ts';
import { demoUsage } from './usage-rows.ts';

/**
 * Demo data on loopback: apps, tokens in every state that needs no real grant, a month of calls and two months of
 * progress, so that no page is empty at the first look. Written once, with fixed values and in one transaction.
 */

/** The demo integration, which is registered already. */
interface Integration {
  clientId: string;
}

interface SeedInput {
  context: Context;
  tx: Database;
  now: number;
  pairs: readonly SeededPair[];
}

/** False if the app exists already. The app's secret is a fixed value, like the secret of the demo integration. */
async function addApp({ context, tx, now }: SeedInput, app: DemoApp): Promise<boolean> {
  const { clientId, name, callback } = app;
  const created_at = momentAgo(now, IMPORTED_AGO);
  if (callback === undefined) {
    await insertUnidentified(tx, { clientId, name, now: created_at });
    return true;
  }
  const owner_account_id = app.owner ? DEMO_PEOPLE[app.owner].accountId : null;
  const secretDigest = context.vault.digest(`demo-secret-of-${clientId}`);
  const details = { callbacks: [callback], secretId: clientId, secretDigest };
  const row = { client_id: clientId, name, owner_account_id, source: app.source, created_at };
  if (!(await insertApp(tx, row, details))) return false;
  await insertContacts(tx, clientId, app.contacts);
  return true;
}

async function addPeople({ tx, now }: SeedInput): Promise<void> {
  for (const { accountId, ...said } of Object.values(DEMO_PEOPLE))
    await upsertAccount(tx, { account_id: accountId, ...said, updated_at: now });
}

/**
 * The app whose tokens have all moved has its own client. No account holder has to consent through that app any more.
 */
async function addModernClient({ tx, now }: SeedInput): Promise<void> {
  const id = CALENDAR.modernClientId ?? '';
  const scopes = 'account:read posts:read posts:write offline_access';
  const proven_at = momentAgo(now, IMPORTED_AGO - 1);
  await tx
    .insertInto('modern_clients')
    .values({ id, client_id: CALENDAR.clientId, scopes, proven_at })
    .execute();
  await tx
    .updateTable('apps')
    .set({ modern_client_id: id })
    .where('client_id', '=', CALENDAR.clientId)
    .execute();
}

async function addTokens({ context, tx, now, pairs }: SeedInput): Promise<void> {
  const clientOf = ({ clientId }: SeededPair) =>
    clientId === CALENDAR.clientId ? (CALENDAR.modernClientId ?? '') : context.server.clientId;
  for (const pair of pairs) {
    const sealing = { vault: context.vault, now, modernClientId: clientOf(pair) };
    for (const grant of grantRow(pair, sealing)) await tx.insertInto('grants').values(grant).execute();
    for (const handover of handoverRow(pair)) await insertHandover(tx, handover);
  }
  const mappings = pairs.flatMap((pair) => mappingRows(context.vault, pair, now));
  await insertionOf(tx, 'mappings', mappings).execute(tx);
}

const EXTENSIONS = [
  {
    id: '5e1f0c9a7b3d4e2f8a6a0001',
    clientId: DESK.clientId,
    days: 90,
    reason: 'The season of the theatres runs until then',
  },
  {
    id: '5e1f0c9a7b3d4e2f8a6a0002',
    clientId: CAMPAIGN.clientId,
    days: 74,
    reason: 'The campaign ends two weeks after the retirement',
  },
];

async function addExtensions({ context, tx, now }: SeedInput, by: string): Promise<void> {
  for (const { id, clientId, days, reason } of EXTENSIONS) {
    const at = momentAgo(now, 14);
    const until = now - (now % DAY) + days * DAY;
    const granted = { granted_by: by, granted_at: at };
    await insertExtension(tx, { id, client_id: clientId, name: 'retirement', until, reason, ...granted });
    const words = `retirement: until ${momentText(until)}; ${reason}`;
    const change = { at, actor: by, action: 'app_extended', reason: words, clientId };
    await recordEvents(context, tx, [change]);
  }
}

async function addLead({ context, tx, now }: SeedInput, accountId: string): Promise<void> {
  await keepRole(tx, { account_id: accountId, role: 'lead', added_by: 'demo', added_at: now });
  const added = { at: now, actor: 'demo', action: 'staff_added', accountId, reason: 'lead' };
  await recordEvents(context, tx, [added]);
}

/** The owner token of the integration counts in the progress too. */
function ownerPair({ clientId }: Integration, now: number): SeededPair {
  const stands = [{ at: momentAgo(now, IMPORTED_AGO), state: 'unmapped' as const, reason: null }];
  return {
    clientId,
    accountId: DEMO_PEOPLE.dana.accountId,
    email: null,
    legacyAccountId: null,
    grant: undefined,
    tokens: [{ id: '', token: '', revokedBy: undefined, stands, habit: undefined }],
  };
}

async function addProgress({ tx, now, pairs }: SeedInput, integration: Integration): Promise<void> {
  const clientIds = [integration.clientId, ...DEMO_APPS.map(({ clientId }) => clientId)];
  const all = [...pairs, ownerPair(integration, now)];
  const rows = clientIds.flatMap((clientId) => progressRows(clientId, all, now));
  await insertionOf(tx, 'progress', rows).execute(tx);
  await insertionOf(tx, 'progress_of_all', progressOfAllRows(rows, now)).execute(tx);
}

async function seedIn(seeding: SeedInput, integration: Integration): Promise<boolean> {
  const { context, tx, now, pairs } = seeding;
  await addPeople(seeding);
  for (const app of DEMO_APPS) if (!(await addApp(seeding, app))) return false;
  await addModernClient(seeding);
  await addTokens(seeding);
  await recordEvents(context, tx, demoHistory(pairs, now));
  const by = DEMO_PEOPLE.dana.accountId;
  await addExtensions(seeding, `account:${by}`);
  await addLead(seeding, by);
  const retirement = context.lifecycle.current().dates.retirement ?? now;
  const { mails, reminders } = mailRows(now, retirement);
  await insertPlanned(tx, mails, reminders);
  await addProgress(seeding, integration);
  return true;
}

async function isSeeded({ store }: Context): Promise<boolean> {
  const ids = DEMO_APPS.map(({ clientId }) => clientId);
  const row = await store.durable
    .selectFrom('apps')
    .select('client_id')
    .where('client_id', 'in', ids)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Rows per statement. */
const USAGE_AT_ONCE = 300;

/** Fills a database that has no demo data. */
export async function seedDemoData(context: Context, integration: Integration): Promise<void> {
  if (await isSeeded(context)) return;
  const now = context.clock.now();
  const pairs = layPairs(demoPairs(integration.clientId), now);
  const isNew = await context.store.transaction((tx) => seedIn({ context, tx, now, pairs }, integration));
  if (!isNew) return;
  await context.lifecycle.refresh();
  const usage = pairs.flatMap(({ tokens }) => tokens.flatMap((token) => demoUsage(token, now)));
  await countCallsSince(context.store, momentAgo(now, IMPORTED_AGO));
  for (const some of chunksOf(usage, USAGE_AT_ONCE)) await addUsage(context.store, some);
  // The progress job may already have counted at the start, before the demo data existed.
  await keepProgress(context);
}
