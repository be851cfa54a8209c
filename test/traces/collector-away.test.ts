import { createServer, type Socket } from 'node:net';
import { freePort, portOf } from '../support/servers/free-port.ts';
import { until } from '../support/servers/held-answer.ts';
import { type Line, openHeardDoor, TRACEPARENT } from './support/heard-door.ts';

/** docs/threats.md F164: a collector that is away, or silent, disturbs no call and no stop. */

const isSaid = ({ message }: Line) => message === 'traces could not be sent';

test('row F164 a collector that refuses connections: calls are answered, the stop ends, and the log says so', async () => {
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  const heard = await openHeardDoor({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  const { status } = await heard.call({ traceparent: TRACEPARENT });
  const lines: Line[] = [];
  await until(async () => lines.push(...(await heard.lines())) > 0 && lines.some(isSaid), 60_000);
  expect(status).toBe(200);
  expect(lines.filter(isSaid)).toMatchObject([{ level: 'warn', error: { code: 'ECONNREFUSED' } }]);
  await heard.door.stop();
});

test('row F164 a collector that never answers: calls are answered, and the stop does not wait for it', async () => {
  const held: Socket[] = [];
  const silent = createServer((socket) => void held.push(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${portOf(silent)}`;
  const heard = await openHeardDoor({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint });
  const { status } = await heard.call({ traceparent: TRACEPARENT });
  expect(status).toBe(200);
  // It has not answered, and never will.
  await heard.door.stop();
  for (const socket of held) socket.destroy();
  silent.close();
});
