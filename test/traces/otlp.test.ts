import { mappingOf } from '../support/bridge/waiting-token.ts';
import { exchangeFields } from '../support/callers/legacy-calls.ts';
import { rawForm, sendRaw } from '../support/callers/raw-request.ts';
import { until } from '../support/servers/held-answer.ts';
import { TOKEN_PATH } from '../endpoints/support/connected.ts';
import { type Collector, type ReceivedSpan, startCollector } from './support/collector.ts';
import {
  type HeardDoor,
  openHeardDoor,
  PARENT_ID,
  partsOf,
  TRACE_ID,
  TRACEPARENT,
} from './support/heard-door.ts';

/** OpenTelemetry traces at a real receiver: which spans there are, whose children they are, and what none of them says. */

const [SERVER, CLIENT] = [2, 3];

let collector: Collector;
let heard: HeardDoor;
let requestId: string;
let code: string;
let spans: ReceivedSpan[];

const ofTrace = (traceId: string) => spans.filter((span) => span.traceId === traceId);
const named = (name: string) => spans.filter((span) => span.name === name);

const halfOf = (token: string) => token.slice(2, 18);

/** A call with its token in the body, whose caller names half of that token as its own step. */
async function callWithHalf(token: string): Promise<void> {
  const traceparent = `00-${'cd'.repeat(16)}-${halfOf(token)}-01`;
  const form = rawForm(`access_token=${encodeURIComponent(token)}`, { traceparent });
  const { status } = await sendRaw(heard.door.bridgeUrl, { method: 'POST', path: '/1/user.json', ...form });
  if (status !== 200) throw new Error(`the call was answered with ${status}`);
}

/** Everything that is recorded here happens once; the spans arrive together. */
beforeAll(async () => {
  collector = await startCollector();
  heard = await openHeardDoor({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=half%20a%20secret,x-other=1',
    OTEL_SERVICE_NAME: 'old bridge',
    OTEL_TRACES_SAMPLER_ARG: '0',
  });
  await heard.expireAccess();
  const path = `/1/user.json?access_token=${heard.connected.token}`;
  const answer = await heard.call({ traceparent: TRACEPARENT }, { path });
  requestId = String(answer.headers['x-request-id']);
  await callWithHalf(heard.connected.token);
  code = await heard.connected.mint();
  const fields = new URLSearchParams(exchangeFields(heard.connected.app, code)).toString();
  const form = rawForm(fields, { traceparent: `00-${'ab'.repeat(16)}-${PARENT_ID}-01` });
  await sendRaw(heard.door.bridgeUrl, { method: 'POST', path: TOKEN_PATH, ...form });
  await heard.call({ traceparent: TRACEPARENT.replace(/01$/, '00') });
  await heard.call();
  await until(() => collector.spans().length >= 5, 30_000);
  spans = collector.spans();
});

afterAll(async () => {
  await heard.door.stop();
  collector.close();
});

test('a call is a span below its caller’s, and what the bridge asked for it are spans below the call', () => {
  const [call] = named('old call user');
  expect(call).toMatchObject({ kind: SERVER, traceId: TRACE_ID, parentSpanId: PARENT_ID });
  expect(ofTrace(TRACE_ID).filter((span) => span !== call)).toMatchObject([
    { name: 'new API refresh', kind: CLIENT, parentSpanId: call?.spanId },
    { name: 'new API read', kind: CLIENT, parentSpanId: call?.spanId },
    { name: 'new API read', kind: CLIENT, parentSpanId: call?.spanId },
  ]);
  expect(spans.every(({ milliseconds }) => milliseconds >= 0 && milliseconds < 60_000)).toBe(true);
});

test('the servers that are asked get the spans of these calls as their parents', () => {
  const asked = [heard.door.proxy.refreshes()[0], heard.door.proxy.readings().find(isTraced)];
  const parents = asked.map((call) => partsOf(call?.headers['traceparent']).parentId);
  expect(parents).toEqual([named('new API refresh')[0]?.spanId, named('new API read')[0]?.spanId]);
});

const isTraced = ({ headers }: { headers: Record<string, unknown> }) =>
  String(headers['traceparent']).includes(`${TRACE_ID}-`) && String(headers['traceparent']).endsWith('01');

test('a span says what the line of its request says', async () => {
  const mapping = await mappingOf(heard.door.bridge, heard.connected.token);
  expect(named('old call user')[0]?.attributes).toEqual({
    'http.response.status_code': 200,
    'grantbridge.request_id': requestId,
    'grantbridge.mapping_id': mapping?.id,
    'grantbridge.client_id': heard.connected.app.clientId,
    'grantbridge.carrier': 'header',
    'grantbridge.answered_by': 'new',
  });
  expect(named('new API read')[0]?.attributes).toEqual({ 'grantbridge.outcome': 'answered' });
});

test('the exchange of a code is a span', () => {
  expect(named('token exchange')).toMatchObject([
    { kind: SERVER, traceId: 'ab'.repeat(16), attributes: { 'http.response.status_code': 200 } },
  ]);
});

test('a caller that does not record its trace, and a lot that falls on nobody, leave no span', () => {
  expect(named('old call user')).toHaveLength(1);
  expect(spans).toHaveLength(5);
});

test('no span holds a token, a code, an address with its query, or an e-mail address', () => {
  const text = collector.text();
  const secrets = [heard.connected.token, code].map((secret) => secret.slice(2));
  for (const secret of [...secrets, heard.connected.app.clientSecret, 'access_token', '?', '@'])
    expect(text).not.toContain(secret);
});

test('row F162 half of a token as the step of a caller is in no span', () => {
  expect(collector.text()).not.toContain(halfOf(heard.connected.token));
});

test('the collector gets the headers and the name that the settings give', () => {
  expect(collector.headers()[0]).toMatchObject({ 'x-key': 'half a secret', 'x-other': '1' });
  expect(new Set(collector.paths())).toEqual(new Set(['/v1/traces']));
  expect(collector.services()[0]).toBe('old bridge');
});
