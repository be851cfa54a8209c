import { resolveDoubts } from '../../src/domain/grants/resolve-doubts.ts';
import { takeOver } from '../../src/domain/instance/take-over.ts';
import { holdJobs } from '../support/bridge/hold-jobs.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';

/** After a take-over, grants that cannot be asked about take no turn of the others. */

/** More than a run takes. */
const STUCK = 12;

const clock = new SettableClock();
let system: System;
let letJobsGo = () => {};

beforeAll(async () => {
  system = await startSystem({
    clock,
    env: { LEGACY_RATE_LIMIT: '0' },
    clientSecret: 'a-secret-for-this-test',
  });
  for (let number = 0; number <= STUCK; number += 1)
    await issueToken(system, { app: await system.registerApp(`https://app-${number}.example/callback`) });
  letJobsGo = await holdJobs(system.bridge.context, ['settle-doubts']);
});

afterAll(() => {
  letJobsGo();
  return system.stop();
});

const durable = () => system.bridge.context.store.durable;
const grants = () => durable().selectFrom('grants').selectAll().orderBy('created_at').execute();

/** A take-over after which the access token of one grant, the last, ends last; the others cannot be settled. */
async function takeOverWith(stick: (id: string, version: number) => Promise<void>): Promise<string> {
  const { context } = system.bridge;
  clock.advance(3_700_000);
  await durable().updateTable('instance').set({ state: 'copy' }).execute();
  await context.instance.look();
  await takeOver(context);
  const [last, ...stuck] = (await grants()).toReversed();
  if (!last) throw new Error('no grant');
  await durable()
    .updateTable('grants')
    .set({ access_expires_at: clock.now() })
    .where('id', '=', last.id)
    .execute();
  for (const { id, version } of stuck) await stick(id, version);
  clock.advance(301_000);
  return last.id;
}

async function stateAfterRuns(id: string): Promise<string | undefined> {
  for (let run = 0; run < 3; run += 1) {
    await resolveDoubts(system.bridge.context);
    // Longer than the rest of a grant that could not be asked about.
    clock.advance(61_000);
  }
  return (await grants()).find((grant) => grant.id === id)?.state;
}

test('those of a client that the bridge does not know', async () => {
  const last = await takeOverWith(async (id) => {
    await durable()
      .updateTable('grants')
      .set({ modern_client_id: 'an-earlier-client' })
      .where('id', '=', id)
      .execute();
  });
  expect(await stateAfterRuns(last)).toBe('ready');
  await durable()
    .updateTable('grants')
    .set({ modern_client_id: system.bridge.context.server.clientId })
    .execute();
  await stateAfterRuns(last);
  expect((await grants()).filter(({ state }) => state !== 'ready')).toEqual([]);
});

test('those whose pair waits in the folder for another database', async () => {
  const { spill } = system.bridge.context;
  const owner = { instance: 'another', address: 'sqlite:elsewhere.db', ownsFolder: true };
  const [row] = await grants();
  const pair = {
    accessTokenSealed: row?.access_token_sealed ?? '',
    refreshTokenSealed: row?.refresh_token_sealed ?? '',
    scope: row?.scope ?? '',
    accessExpiresAt: 0,
    refreshAt: 0,
  };
  const last = await takeOverWith((id, version) => spill.write({ grantId: id, version, owner, pair }));
  expect(await stateAfterRuns(last)).toBe('ready');
});
