import { addWaitingToken } from '../support/bridge/waiting-token.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { setDate } from '../reminders/support/planning-ground.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { dayOf } from '../../src/shared/moments.ts';
import { addUsage } from '../../src/store/usage/usage.ts';
import { TOO_LATE } from '../../src/domain/tokens/standing/words.ts';
import { recordEvent } from '../../src/domain/history/record-event.ts';
import { runBulkJobs } from '../../src/domain/bulk/run-bulk-jobs.ts';
import { keyFor, type Program, problemIn, programOf } from './support/api-client.ts';
import { type ApiGround, openGround, someApp, waitingIn } from './support/ground.ts';

/** What the pages of support say and refuse, the staff API says and refuses too. */

const clock = new SettableClock();
let ground: ApiGround;
let program: Program;
const reason = 'ticket 4711';

beforeAll(async () => {
  clock.run();
  ground = await openGround('sqlite', { clock });
  program = programOf(ground, (await keyFor(ground, 'lead')).key);
});
afterAll(() => ground.stop());

const rows = () => ground.bridge.context.store.durable;

interface EntriesPage {
  entries: unknown[];
  next_cursor: string | null;
}

const search = async (text: string) => (await program.post('/search', { text })).json;

test('a search says where nothing is written exactly so', async () => {
  const { accountId } = await waitingIn(ground);
  await rows()
    .updateTable('accounts')
    .set({ email: 'kinneret@shop.example', name: 'Kinneret' })
    .where('account_id', '=', accountId)
    .execute();
  const found = { accounts: [{ account_id: accountId }] };
  expect(await search('kinneret@shop.example')).toMatchObject({ ...found, is_near: false, is_cut: false });
  expect(await search('kineret@shop.example')).toMatchObject({ ...found, is_near: true });
});

test('the history of an app that is not there is not found', async () => {
  expect(problemIn(await program.get(`/apps/${newHexId()}/history`))).toBe('404 not-found');
  const known = await program.get(`/apps/${ground.app.clientId}/history`);
  expect(known.status).toBe(200);
});

test('a request that left more than a hundred entries is read page by page', async () => {
  const { context } = ground.bridge;
  const requestId = newHexId();
  const change = { at: clock.now(), actor: 'test', action: 'link_made', reason, requestId };
  await context.store.transaction(async (tx) => {
    for (let item = 0; item < 101; item += 1) await recordEvent(context, tx, change);
  });
  const first = (await program.get(`/requests/${requestId}`)).json as EntriesPage;
  expect(first.entries).toHaveLength(100);
  const path = `/requests/${requestId}?cursor=${first.next_cursor}`;
  const second = (await program.get(path)).json as EntriesPage;
  expect(second).toMatchObject({ entries: [expect.anything()], next_cursor: null });
  expect(problemIn(await program.get(`/requests/${requestId}?cursor=x`))).toBe('422 invalid-request');
});

test('every change of an app and its secrets names the request of its answer', async () => {
  const sent = { name: 'Traced', callbacks: ['https://traced.example/cb'], owner: 'traced@shop.example' };
  const added = await program.post('/apps', sent);
  const { client_id: clientId } = added.json as { client_id: string };
  const secrets = `/apps/${clientId}/secrets`;
  const second = await program.post(secrets, {});
  const { secret_id: id } = second.json as { secret_id: string };
  const retired = await program.post(`${secrets}/${id}/retire`, {});
  const answers = [added, second, retired];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const events = await rows()
    .selectFrom('events')
    .select(['request_id'])
    .where('client_id', '=', clientId)
    .orderBy('id')
    .execute();
  const told = [...new Set(events.map((entry) => entry.request_id))];
  expect(told).toEqual(answers.map(({ headers }) => headers['x-request-id']));
});

test('a key tests six connections in a minute, as a person does', async () => {
  const path = `/tokens/${ground.connected.mappingId}/probe`;
  for (let test = 0; test < 6; test += 1)
    expect((await program.post(path, { reason })).json).toMatchObject({ outcome: 'works' });
  const asked = ground.proxy.readings().length;
  const refused = await program.post(path, { reason });
  expect(problemIn(refused)).toBe('429 too-many-requests');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(ground.proxy.readings()).toHaveLength(asked);
});

test('of many links each waiting token gets one, also behind many that have ended', async () => {
  const { accountId, mappingId } = await waitingIn(ground);
  await rows().updateTable('mappings').set({ created_at: 1 }).where('id', '=', mappingId).execute();
  for (let number = 0; number < 51; number += 1) {
    const ended = await addWaitingToken(ground.bridge, { clientId: ground.app.clientId, accountId });
    await rows()
      .updateTable('mappings')
      .set({ state: 'revoked', created_at: 2 })
      .where('id', '=', ended.mappingId)
      .execute();
  }
  const job = (
    await program.post('/jobs/make-links', {
      client_id: ground.app.clientId,
      account_ids: [accountId],
      reason,
    })
  ).json as { job_id: string };
  await runBulkJobs(ground.bridge.context);
  expect((await program.get(`/jobs/${job.job_id}`)).json).toMatchObject({ items: { done: 1 } });
});

const grantOf = async (id: string) =>
  ((await program.get(`/tokens/${id}`)).json as { grant: { grant_id: string; is_of_token: boolean } }).grant;

test('a token that waits beside the connection of others is told that the grant is not its own', async () => {
  const own = ground.connected.mappingId;
  const { client_id: clientId, account_id: accountId } = await rows()
    .selectFrom('mappings')
    .select(['client_id', 'account_id'])
    .where('id', '=', own)
    .executeTakeFirstOrThrow();
  const beside = await addWaitingToken(ground.bridge, { clientId, accountId: accountId ?? '' });
  const grant = await grantOf(own);
  expect(grant.is_of_token).toBe(true);
  expect(await grantOf(beside.mappingId)).toEqual({ ...grant, is_of_token: false });
});

test('the calls of a token say where there are more kinds than the answer holds', async () => {
  const { mappingId } = await waitingIn(ground);
  const told = async () => {
    const { json } = await program.get(`/tokens/${mappingId}`);
    const { calls } = json as { calls: { kinds: unknown[]; has_more_kinds: boolean } };
    return [calls.kinds.length, calls.has_more_kinds];
  };
  const callsBy = (agents: readonly string[]) =>
    addUsage(
      ground.bridge.context.store,
      agents.map((user_agent) => ({
        mapping_id: mappingId,
        day: dayOf(clock.now()),
        endpoint: '/1/user.json',
        carrier: 'header',
        user_agent,
        outcome: 'ok',
        calls: 1,
        last_at: clock.now(),
      })),
    );
  await callsBy(Array.from({ length: 50 }, (_, place) => `program-${place}`));
  expect(await told()).toEqual([50, false]);
  await callsBy(['one-more']);
  expect(await told()).toEqual([50, true]);
});

test('a token that belongs to another app than was seen is not assigned', async () => {
  const { mappingId } = await waitingIn(ground, 'observed');
  const path = `/tokens/${mappingId}`;
  const seen = (await program.get(path)).json as { token: { client_id: string } };
  const from = seen.token.client_id;
  const asked = { client_id: ground.app.clientId, reason };
  expect((await program.post(`${path}/assign`, { ...asked, from })).status).toBe(200);
  const other = await program.post(`${path}/assign`, { client_id: await someApp(ground), from, reason });
  expect(problemIn(other)).toBe('409 not-possible');
  expect((await program.get(path)).json).toMatchObject({
    token: { client_id: ground.app.clientId },
  });
});

test('once the old API has ended, no link is made and nobody is reminded', async () => {
  const { mappingId } = await waitingIn(ground);
  expect((await program.post(`/tokens/${mappingId}/link`, { reason })).status).toBe(200);
  await setDate(ground.bridge.context, 'sunset', new Date(clock.now() - DAY).toISOString());
  for (const [name, body] of [
    ['link', { reason }],
    ['remind', { to: 'holder', reason }],
  ] as const) {
    const refused = await program.post(`/tokens/${mappingId}/${name}`, body);
    expect([name, problemIn(refused), refused.text.includes(TOO_LATE)]).toEqual([
      name,
      '409 not-possible',
      true,
    ]);
  }
  expect(await rows().selectFrom('mails').select('id').execute()).toEqual([]);
});
