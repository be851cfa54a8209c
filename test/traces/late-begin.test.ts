import { createServer } from 'node:http';
import { createBridgeApp } from '../../src/http/app.ts';
import { noteArrival } from '../../src/http/arrived-at.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { portOf } from '../support/servers/free-port.ts';
import { until } from '../support/servers/held-answer.ts';
import { type Collector, startCollector } from './support/collector.ts';
import { type HeardDoor, openHeardDoor } from './support/heard-door.ts';

/** A request may wait for its turn (src/http/overload). Its span begins when the request arrived, as its latency does. */

const WAITED = 700;

let collector: Collector;
let heard: HeardDoor;

beforeAll(async () => {
  collector = await startCollector();
  heard = await openHeardDoor({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER_ARG: '1',
  });
});

afterAll(async () => {
  await heard.door.stop();
  collector.close();
});

const calls = () => collector.spans().filter(({ name }) => name === 'old call user');

test('the span of a request that waited holds its wait', async () => {
  const { context } = heard.door.bridge;
  const options = { context, rateLimitPerMinute: 0, trustProxy: [] };
  const { app } = createBridgeApp({ ...options, logRequests: 'errors' });
  let endedAt = 0;
  const server = createServer((req, res) => {
    res.once('close', () => (endedAt = performance.now()));
    noteArrival(req, performance.now() - WAITED);
    app(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sentAt = performance.now();
  const headers = { authorization: `Bearer ${heard.connected.token}` };
  await sendRaw(`http://127.0.0.1:${portOf(server)}`, { path: '/1/user.json', headers });
  server.close();
  await until(() => calls().some(({ milliseconds }) => milliseconds >= WAITED), 30_000);
  await until(() => endedAt > 0);
  const longest = Math.max(...calls().map(({ milliseconds }) => milliseconds));
  expect(longest).toBeLessThan(WAITED + (endedAt - sentAt) + 100);
});
