import { exchangeFields } from '../support/callers/legacy-calls.ts';
import { rawForm, sendRaw } from '../support/callers/raw-request.ts';
import { TOKEN_PATH } from '../endpoints/support/connected.ts';
import { CHANNELS } from '../posts/support/posts.ts';
import {
  type HeardDoor,
  openHeardDoor,
  PARENT_ID,
  partsOf,
  TRACE_ID,
  TRACEPARENT,
} from './support/heard-door.ts';

/** The trace that a caller brings (W3C Trace Context): it goes on to the new API, and stands in the log. */

const TRACED = { traceparent: TRACEPARENT, tracestate: 'rojo=00f067aa0ba902b7, congo=t61rcWkgMzE' };
const STATE = 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE';

let heard: HeardDoor;

beforeAll(async () => {
  heard = await openHeardDoor();
});

afterAll(() => heard.door.stop());

const lastRead = () => heard.door.proxy.readings().at(-1);
const requestsIn = (lines: Array<Record<string, unknown>>) =>
  lines.filter(({ message }) => message === 'request');

test('a refresh and a read for a call are two steps of its trace, with its state', async () => {
  await heard.expireAccess();
  const { status } = await heard.call(TRACED);
  const asked = [heard.door.proxy.refreshes().at(-1), lastRead()].map((call) => call?.headers ?? {});
  const parts = asked.map(({ traceparent }) => partsOf(traceparent));
  expect(status).toBe(200);
  expect(parts.map(({ traceId, flags }) => [traceId, flags])).toEqual([
    [TRACE_ID, '01'],
    [TRACE_ID, '01'],
  ]);
  expect(new Set([PARENT_ID, ...parts.map(({ parentId }) => parentId)]).size).toBe(3);
  expect(asked.map(({ tracestate }) => tracestate)).toEqual([STATE, STATE]);
});

test('a write for a call belongs to its trace', async () => {
  const form = rawForm(`profile_ids[]=${CHANNELS.twitter}&text=traced`);
  const answer = await heard.call(TRACED, { method: 'POST', path: '/1/updates/create.json', ...form });
  const written = lastRead();
  expect([answer.status, written?.body.includes('mutation Write')]).toEqual([200, true]);
  expect(partsOf(written?.headers['traceparent']).traceId).toBe(TRACE_ID);
});

test('a call without a trace brings none to the new API, and its line has none', async () => {
  await heard.lines();
  await heard.expireAccess();
  await heard.call();
  expect(heard.door.proxy.refreshes().at(-1)?.headers).not.toHaveProperty('traceparent');
  expect(lastRead()?.headers).not.toHaveProperty('traceparent');
  expect(requestsIn(await heard.lines())).toEqual([
    expect.not.objectContaining({ traceId: expect.anything() }),
  ]);
});

test('a trace that is not sampled stays so, and its flags of later versions are not passed on', async () => {
  await heard.call({ traceparent: `01-${TRACE_ID}-${PARENT_ID}-fe-of-a-later-version` });
  expect(partsOf(lastRead()?.headers['traceparent'])).toMatchObject({ traceId: TRACE_ID, flags: '00' });
});

test('the answer is the same with a trace and without', async () => {
  const [traced, plain] = [await heard.call(TRACED), await heard.call()];
  const namesOf = ({ headers }: typeof traced) => Object.keys(headers).toSorted();
  expect([traced.status, traced.text, namesOf(traced)]).toEqual([plain.status, plain.text, namesOf(plain)]);
});

test('the trace id stands in the line of a request, of a refusal, and of a failure', async () => {
  await heard.lines();
  await heard.call({ ...TRACED, authorization: 'Bearer 1/unknown' });
  const fields = new URLSearchParams(exchangeFields(heard.connected.app, 'no-code')).toString();
  const exchange = { method: 'POST', path: TOKEN_PATH, ...rawForm(fields, TRACED) };
  await sendRaw(heard.door.bridgeUrl, exchange);
  const { durable } = heard.door.bridge.context.store;
  await durable.schema.alterTable('mappings').renameTo('mappings_away').execute();
  await heard.call(TRACED);
  await durable.schema.alterTable('mappings_away').renameTo('mappings').execute();
  const traced = (await heard.lines()).filter(({ traceId }) => traceId === TRACE_ID);
  expect(traced.map(({ message }) => message)).toEqual(
    expect.arrayContaining(['request', 'a legacy exchange was refused', 'a legacy call failed']),
  );
  expect(traced.every(({ requestId }) => /^[0-9a-f]{24}$/.test(String(requestId)))).toBe(true);
});

test('the history names the call for which a grant was refreshed when it ended', async () => {
  const { app } = heard.connected;
  const { durable } = heard.door.bridge.context.store;
  await heard.expireAccess();
  heard.door.proxy.onTokenAnswer = () => ({
    status: 400,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{"error":"invalid_grant"}'),
  });
  await heard.lines();
  const answer = await heard.call(TRACED);
  heard.door.proxy.onTokenAnswer = undefined;
  const requestId = answer.headers['x-request-id'];
  const events = await durable
    .selectFrom('events')
    .selectAll()
    .where('request_id', '=', String(requestId))
    .execute();
  expect(answer.status).toBe(401);
  // The owner's token of the app stops too.
  const stopped = events.flatMap(({ action, mapping_id: id }) =>
    action === 'token_reauthorization_required' ? [id] : [],
  );
  expect(events.map(({ action }) => action)).toEqual([
    'grant_died',
    ...stopped.map(() => 'token_reauthorization_required'),
  ]);
  const died = (await heard.lines()).find(({ message }) => message === 'grant died');
  expect(died).toMatchObject({
    requestId,
    clientId: app.clientId,
    mappings: stopped,
    cause: 'refused',
  });
});
