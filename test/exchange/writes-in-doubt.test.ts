import { settleWrites } from '../../src/domain/posts/writes/settle-writes.ts';
import { browserOf, DANA, pressIn, wordsOf } from '../owners/support/people.ts';
import { cut, isWrite } from '../posts/support/bakery.ts';
import { CHANNELS } from '../posts/support/posts.ts';
import type { CookieWalker } from '../support/callers/cookie-walker.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { type RawAnswer, rawForm, sendRaw } from '../support/callers/raw-request.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { testInProcess } from '../support/jest/test-mode.ts';
import { exchange, fieldOf, OWN_CLIENT, useOwnClient } from './support/own-client.ts';

/** Neither a client of an app nor a pair of it leaves the bridge while it looks for posts that were sent by it. */

const NEXT_CLIENT = {
  clientId: 'next-client-of-app',
  clientSecret: 'next-client-secret-0123456789',
  name: 'Old App',
};

const DAY = 24 * 3_600_000;

let system: System;
let owner: CookieWalker;
let token: string;

beforeAll(async () => {
  system = await startSystem({ env: { LEGACY_RATE_LIMIT: '0' }, ownClients: [OWN_CLIENT, NEXT_CLIENT] });
  await durable()
    .updateTable('apps')
    .set({ owner_account_id: DANA.accountId })
    .where('client_id', '=', system.app.clientId)
    .execute();
  owner = await browserOf(system);
});

afterAll(() => system.stop());

beforeEach(async () => {
  await durable().deleteFrom('post_writes').execute();
  await useOwnClient(system, OWN_CLIENT);
  token = await issueToken(system);
  await create('The account is known');
});

const durable = () => system.bridge.context.store.durable;

const create = (text: string): Promise<RawAnswer> =>
  sendRaw(system.bridgeUrl, {
    method: 'POST',
    path: '/1/updates/create.json',
    ...rawForm(new URLSearchParams({ 'profile_ids[]': CHANNELS.twitter, text }).toString(), {
      authorization: `Bearer ${token}`,
    }),
  });

const clientPage = () => owner.get(`${system.bridgeUrl}/apps/${system.app.clientId}/modern-client`);

const stopUsing = async () =>
  wordsOf(await owner.follow(await pressIn(owner, await clientPage(), /^Stop using it$/, {})));

const inUse = async () =>
  (
    await durable()
      .selectFrom('apps')
      .select('modern_client_id')
      .where('client_id', '=', system.app.clientId)
      .executeTakeFirstOrThrow()
  ).modern_client_id;

/** A post that never reached the new API, of which the bridge cannot know that. */
async function createInDoubt(): Promise<void> {
  system.proxy.onOtherCall = async (call) => (isWrite(call) ? cut() : undefined);
  const answer = await create('Perhaps');
  system.proxy.onOtherCall = undefined;
  expect([answer.status, fieldOf(answer, 'code')]).toEqual([500, 1000]);
}

/** Makes the writes without an outcome so much older. */
const age = (ms: number) =>
  durable()
    .updateTable('post_writes')
    .set((eb) => ({ sent_at: eb('sent_at', '-', ms), next_look_at: 0 }))
    .where('state', '=', 'in_doubt')
    .execute();

test('a pair is not handed over while a write of its account is in doubt, and is once that is known', async () => {
  await createInDoubt();
  const refused = await exchange(system.bridgeUrl, token);
  expect([refused.status, refused.json, refused.headers['retry-after']]).toEqual([
    503,
    {
      error: 'temporarily_unavailable',
      error_description: expect.stringContaining('not known yet whether it is there'),
    },
    '60',
  ]);
  await age(3_600_000);
  await settleWrites(system.bridge.context);
  expect((await exchange(system.bridgeUrl, token)).status).toBe(200);
});

test.each<[string, () => Promise<unknown>]>([
  [
    'is not looked for any more',
    () => durable().updateTable('post_writes').set({ next_look_at: null }).execute(),
  ],
  ['is a day old', () => age(DAY)],
])('a doubt that %s holds up nothing', async (_, make) => {
  await createInDoubt();
  await make();
  expect((await exchange(system.bridgeUrl, token)).status).toBe(200);
});

/** Something that is waited for until it is opened. */
function newGate() {
  const gate = { open: (): void => undefined };
  const opened = new Promise<void>((resolve) => Object.assign(gate, { open: resolve }));
  return { opened, open: () => gate.open() };
}

test('a write that is under way holds up the hand-over, and no removal', async () => {
  const gate = newGate();
  const begun = new Promise<void>((resolve) => {
    system.proxy.onOtherCall = async (call) => {
      if (!isWrite(call)) return;
      resolve();
      await gate.opened;
    };
  });
  const answer = create('Slowly');
  await begun;
  expect((await exchange(system.bridgeUrl, token)).status).toBe(503);
  expect(await stopUsing()).toContain('The client is not used for new connections any more.');
  gate.open();
  system.proxy.onOtherCall = undefined;
  expect((await answer).status).toBe(200);
});

test('a client is not removed while writes by it are in doubt, and is once they are known', async () => {
  await createInDoubt();
  expect(await stopUsing()).toContain('Nothing was changed: of posts that were sent by this client');
  expect(await inUse()).toBe(OWN_CLIENT.clientId);
  await age(3_600_000);
  await settleWrites(system.bridge.context);
  expect(await stopUsing()).toContain('The client is not used for new connections any more.');
  expect(await inUse()).toBeNull();
});

async function enter(id: string, secret: string): Promise<string> {
  const fields = { modern_client_id: id, client_secret: secret };
  const entered = await pressIn(owner, await clientPage(), /^Test and use this client$/, fields);
  return wordsOf(await owner.follow(entered));
}

test('no other client takes its place while writes by it are in doubt; it may be entered anew', async () => {
  await createInDoubt();
  expect(await enter(NEXT_CLIENT.clientId, NEXT_CLIENT.clientSecret)).toContain(
    'Nothing was changed: of posts that were sent by the client in use',
  );
  expect(await inUse()).toBe(OWN_CLIENT.clientId);
  expect(await enter(OWN_CLIENT.clientId, OWN_CLIENT.clientSecret)).toContain('Tested and in use.');
});

testInProcess('a pair that is handed over in the moment before a write is sent writes nothing', async () => {
  const { context } = system.bridge;
  const transaction = context.store.transaction.bind(context.store);
  let given: RawAnswer | undefined;
  context.store.transaction = async (work) => {
    context.store.transaction = transaction;
    given = await exchange(system.bridgeUrl, token);
    return transaction(work);
  };
  const answer = await create('Too late');
  expect(given?.status).toBe(200);
  expect([answer.status, fieldOf(answer, 'success')]).toEqual([503, false]);
  const sent = system.proxy.readings().filter((call) => isWrite(call) && call.body.includes('Too late'));
  expect(sent).toEqual([]);
});

test("an app's own client has its own budget: what the bridge's client used up stops none of its writes", async () => {
  const { sides, server, clock } = system.bridge.context;
  const shared = sides.mainApiFor(server.clientId);
  const now = clock.now();
  shared.learn({
    ...shared.budget(),
    share: 0,
    saidAt: now + 1,
    validUntil: now + 60_000,
    pausedUntil: now + 60_000,
  });
  expect((await create('By the own client')).status).toBe(200);
});

test('of writes that come at once after the rest of a spent budget, one asks whether more is left', async () => {
  const { sides, clock } = system.bridge.context;
  const own = sides.mainApiFor(OWN_CLIENT.clientId);
  const now = clock.now();
  own.learn({ ...own.budget(), share: 0, saidAt: now + 1, validUntil: now + DAY, pausedUntil: 0 });
  const sent = () => system.proxy.readings().filter(isWrite).length;
  const before = sent();
  const answers = await Promise.all(['One', 'Two', 'Three'].map(create));
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 429, 429]);
  expect(sent()).toBe(before + 1);
});
