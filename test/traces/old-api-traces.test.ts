import { newHexId } from '../../src/shared/ids.ts';
import { addWaitingToken } from '../support/bridge/waiting-token.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../support/servers/old-backend.ts';
import { until } from '../support/servers/held-answer.ts';
import {
  type HeardDoor,
  openHeardDoor,
  PARENT_ID,
  partsOf,
  TRACE_ID,
  TRACEPARENT,
} from './support/heard-door.ts';

/** The trace of a caller goes on to the old API, and nothing else of these headers does. */

const PROFILES = [{ id: '4eb854340acb04e870000010', service: 'twitter' }];
const TRACED = { traceparent: TRACEPARENT, TraceState: 'rojo=1' };

const accounts: OldAccount[] = [];
let old: OldBackend;
let heard: HeardDoor;

beforeAll(async () => {
  old = await startOldBackend({ accounts });
  heard = await openHeardDoor({ LEGACY_BACKEND_URL: old.url });
});

beforeEach(() => {
  old.requests.length = 0;
});

afterAll(async () => {
  await heard.door.stop();
  await old.close();
});

const newToken = () => `1/${newHexId()}${newHexId().slice(0, 8)}`;

/** A token that only the old API serves. */
async function waiting(): Promise<string> {
  const { token } = await addWaitingToken(heard.door.bridge, { clientId: heard.door.app.clientId });
  accounts.push({ tokens: [token], user: { id: newHexId() }, profiles: PROFILES });
  return token;
}

const as = (token: string, headers: Record<string, string>) =>
  heard.call({ authorization: `Bearer ${token}`, ...headers });

test('a call that is passed on is a step of its trace', async () => {
  await as(await waiting(), TRACED);
  const [seen] = old.requests;
  const { traceId, parentId, flags } = partsOf(seen?.headers['traceparent']);
  expect([traceId, flags, parentId === PARENT_ID]).toEqual([TRACE_ID, '01', false]);
  expect(seen?.headers['tracestate']).toBe('rojo=1');
  expect(seen?.rawHeaders.filter((name) => /^trace/i.test(name))).toEqual(['traceparent', 'tracestate']);
});

test('the question whose an unknown token is belongs to the trace of its call', async () => {
  const token = newToken();
  accounts.push({ tokens: [token], user: { id: newHexId() }, profiles: PROFILES });
  await as(token, TRACED);
  await until(() => old.requests.length >= 2);
  const traces = old.requests.map(({ headers }) => partsOf(headers['traceparent']));
  expect(new Set(traces.map(({ traceId }) => traceId))).toEqual(new Set([TRACE_ID]));
  expect(new Set(traces.map(({ parentId }) => parentId)).size).toBe(traces.length);
});

test('row F161 a trace that is not in order does not reach the old API', async () => {
  await as(await waiting(), { traceparent: TRACEPARENT.toUpperCase(), tracestate: 'rojo=1' });
  expect(old.requests).toHaveLength(1);
  expect(old.requests[0]?.rawHeaders.filter((name) => /^trace/i.test(name))).toEqual([]);
});

test('a call without a trace reaches the old API without one', async () => {
  await as(await waiting(), {});
  expect(old.requests[0]?.rawHeaders.filter((name) => /^trace/i.test(name))).toEqual([]);
});
