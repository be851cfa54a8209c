import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { movedSoFar } from '../../../src/domain/handover/migration-checklist.ts';
import { takeOver } from '../../../src/domain/instance/take-over.ts';
import { textOfWords } from '../../../src/domain/usage/counted-days.ts';
import { timeWords } from '../../../src/http/wording/dates/words.ts';
import { checklist } from '../../../src/http/owners/move/checklist.ts';
import { DAY, MINUTE } from '../../../src/shared/lifetimes.ts';
import { markCopy, readInstance } from '../../../src/store/instance/instance.ts';
import { countCallsSince, noteCounting } from '../../../src/store/usage/known-calls.ts';
import { type AdminBridge, startAdminBridge } from '../../lifecycle/support/admin-bridge.ts';
import { registerLegacyApp } from '../../support/bridge/register-app.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { testInProcess } from '../../support/jest/test-mode.ts';
import { addWaitingToken } from '../../support/bridge/waiting-token.ts';

/**
 * Calls stand in what may be lost, and a new bridge has counted none. No page says then that none came, however few tokens
 * an app has: it says since when they are counted.
 */

const clock = new SettableClock();
let varDir: string;
let admin: AdminBridge;
let clientId: string;
let mappingId: string;

/** On a file, whatever the other tests of this run work on: it is the file that is lost. */
const start = async () =>
  (admin = await startAdminBridge({
    clock,
    varDir,
    env: { DATABASE_URL: `sqlite:${join(varDir, 'bridge.db')}` },
  }));

beforeEach(async () => {
  clock.set('2027-01-20T12:00:00Z');
  varDir = mkdtempSync(join(tmpdir(), 'lost-calls-'));
  const { bridge } = await start();
  ({ clientId } = await registerLegacyApp(bridge, 'https://old-app.example/callback'));
  ({ mappingId } = await addWaitingToken(bridge, { clientId }));
});
afterEach(() => admin.stop());

async function call(): Promise<void> {
  const { usage } = admin.bridge.context;
  usage.note({
    mappingId,
    endpoint: '/1/user.json',
    carrier: 'header',
    userAgent: 'weekly/1.0',
    status: 200,
  });
  await usage.flush();
}

/** What the owner reads of the old calls. */
async function toldOfCalls(): Promise<string> {
  const moved = await movedSoFar(admin.bridge.context, clientId);
  const steps = checklist(moved, { home: '', phase: 'before', hasOldApi: true });
  const step = steps.find(({ id }) => id === 'old-calls');
  return `${step?.state}: ${textOfWords([step?.evidence ?? ''].flat(), timeWords)}`;
}

const NONE = 'done: No call of the old API in the last 7 days.';
const GAP = 'Calls are counted since 20 January 2027 at 12:00 UTC; some may be missing.';
const NONE_SINCE =
  'open: No call of the old API since 20 January 2027 at 12:00 UTC. Calls are counted from then on; some may be missing.';
const AT_LEAST = `open: At least 1 call came to the old API in the last 7 days. ${GAP}`;

testInProcess(
  'a bridge of one hour says since when it counts, also after a start, until it has counted for long',
  async () => {
    clock.advance(60 * MINUTE);
    expect(await toldOfCalls()).toBe(NONE_SINCE);
    await admin.bridge.close();
    await start();
    expect(await toldOfCalls()).toBe(NONE_SINCE);
    clock.advance(7 * DAY);
    expect(await toldOfCalls()).toBe(NONE);
  },
);

testInProcess('where the file of what may be lost was made anew, nothing is done for a week', async () => {
  await countCallsSince(admin.bridge.context.store, 0);
  await call();
  expect(await toldOfCalls()).toBe('open: 1 call came to the old API in the last 7 days.');
  await admin.bridge.close();
  for (const suffix of ['', '-wal', '-shm'])
    rmSync(join(varDir, `bridge-volatile.db${suffix}`), { force: true });
  await start();
  expect(await toldOfCalls()).toBe(NONE_SINCE);
  clock.advance(DAY);
  await call();
  expect(await toldOfCalls()).toBe(AT_LEAST);
  clock.advance(5 * DAY);
  expect(await toldOfCalls()).toBe(AT_LEAST);
  clock.advance(2 * DAY);
  expect(await toldOfCalls()).toBe(NONE);
});

testInProcess('what the original was called before a take-over is not known to the copy', async () => {
  const { context } = admin.bridge;
  await countCallsSince(context.store, 0);
  await markCopy(context.store.durable, await readInstance(context.store.durable));
  await context.instance.look();
  expect(await takeOver(context)).toBe(0);
  expect(await toldOfCalls()).toBe(NONE_SINCE);
});

test('a take-over that cannot say so takes nothing over', async () => {
  const { store, instance } = admin.bridge.context;
  await markCopy(store.durable, await readInstance(store.durable));
  await instance.look();
  await noteCounting(store.volatile, clock.now());
  const refusing = "before update on app_calls_begin begin select raise(abort, 'no'); end";
  await sql`${sql.raw(`create trigger refusing ${refusing}`)}`.execute(store.volatile);
  await expect(takeOver(admin.bridge.context)).rejects.toThrow('no');
  expect(await readInstance(store.durable)).toMatchObject({ state: 'copy' });
  await sql`drop trigger refusing`.execute(store.volatile);
  expect(await takeOver(admin.bridge.context)).toBe(0);
});
