import { hostname } from 'node:os';
import { Writable } from 'node:stream';
import axios from 'axios';
import express from 'express';
import { createLogger } from '../../src/shared/log/logger.ts';
import { redactText } from '../../src/shared/log/redaction.ts';
import { leastTime } from '../support/least-time.ts';

/** No secret reaches a line, in whatever form it is handed to the logger (docs/decisions/0020). */

const LEGACY = `1/${'ab12'.repeat(8)}`;
const OPAQUE = 'Zx9_'.repeat(11);
const SHORT_SECRET = 'hunter2secret';

function captured(log: (logger: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  log(createLogger({ level: 'debug', name: 'test', stream }));
  return lines.join('');
}

const encoded = encodeURIComponent(LEGACY);

test.each([
  ['a raw legacy token', `GET /1/profiles.json?access_token=${LEGACY}`],
  ['one that is encoded', `GET /1/profiles.json?access_token=${encoded}`],
  ['one that is encoded twice', encodeURIComponent(encoded)],
  ['one in escaped JSON', JSON.stringify({ a: LEGACY }).replaceAll('/', '\\/')],
  ['a header', `Authorization: Bearer ${LEGACY}`],
  ['a form', `client_id=x&client_secret=${SHORT_SECRET}&code=${LEGACY}`],
  ['a JSON body', `{"client_secret":"${SHORT_SECRET}"}`],
  ['an escaped JSON body', `{\\"client_secret\\":\\"${SHORT_SECRET}\\"}`],
  ['an encoded form', `client_secret%3D${SHORT_SECRET}%26x%3D1`],
  ['one behind an encoded sign', `/1/profiles.json%3Ftoken%3D${encoded}`],
  ['one behind an encoded space', `Bearer%20${encoded}`],
  ['one that is encoded three times', encodeURIComponent(encodeURIComponent(encoded))],
  ['a value with spaces in quotes', `{"password":"correct horse ${SHORT_SECRET}"}`],
  ['a value with a comma', `client_secret=ab,${SHORT_SECRET}`],
  ['a list', `access_token[]=${SHORT_SECRET}`],
  ['an encoded list', `access_token%5B%5D=${SHORT_SECRET}`],
  ['other names', `token=${SHORT_SECRET}&verifier=${SHORT_SECRET}`],
  ['a dotted value', `refresh_token=v1.${SHORT_SECRET}.x`],
  ['a cookie', `Cookie: gb_browser=${OPAQUE}`],
  ['a modern token', `token was ${OPAQUE}`],
])('%s is cut out of a text', (_name, text) => {
  const clean = redactText(text);
  for (const secret of [LEGACY.slice(2), SHORT_SECRET, OPAQUE]) expect(clean).not.toContain(secret);
});

test('an error of axios is reduced to what carries no header and no body', async () => {
  const failure = axios.post('http://127.0.0.1:1/', `client_secret=${SHORT_SECRET}`, {
    headers: { Authorization: `Bearer ${OPAQUE}`, 'X-Plain': 'plain-header-value' },
  });
  const error: unknown = await failure.catch((cause: unknown) => cause);
  const line = captured((logger) => logger.error('failed', { error, nested: { deep: [error] } }));
  for (const secret of [SHORT_SECRET, OPAQUE, 'plain-header-value']) expect(line).not.toContain(secret);
  expect(JSON.parse(line)).toMatchObject({ message: 'failed', error: { code: 'ECONNREFUSED' } });
});

test('an error of a body parser loses the raw body that hangs on it', async () => {
  const error = await new Promise((resolve) => {
    const app = express().use(express.json());
    app.use((cause: unknown, _req: unknown, res: express.Response, _next: unknown) => {
      resolve(cause);
      res.end();
    });
    const server = app.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      const body = `{"pass":"${SHORT_SECRET}"`;
      void axios
        .post(`http://127.0.0.1:${port}/`, body, { headers: { 'Content-Type': 'application/json' } })
        .finally(() => server.close());
    });
  });
  expect(JSON.stringify(error)).toContain(SHORT_SECRET);
  expect(captured((logger) => logger.error('bad body', { error }))).not.toContain(SHORT_SECRET);
});

test('values under a telling name are dropped, whatever they look like', () => {
  const line = captured((logger) =>
    logger.info('values', {
      refresh_token: 'short',
      headers: { a: 'b-value' },
      list: [{ clientSecret: 'x-value' }],
      Cookie: 'y-value',
    }),
  );
  for (const value of [
    'short',
    'b-value',
    'x-value',
    'y-value',
    'own-value',
    'key-value',
    'bytes-value',
    '98,121',
  ])
    expect(line).not.toContain(value);
});

test('a line break in a value does not make a second line', () => {
  const line = captured((logger) => logger.warn('name\n{"level":"info"}', { name: 'a\r\n{"forged":1}' }));
  expect(line.trimEnd().split('\n')).toHaveLength(1);
  expect(JSON.parse(line)).toMatchObject({ level: 'warn' });
});

test('a cyclic value and a deep one end', () => {
  const cyclic: Record<string, unknown> = { name: 'x' };
  cyclic['self'] = cyclic;
  expect(captured((logger) => logger.info('cyclic', { cyclic }))).toContain('[deep]');
});

test('what a person needs to find a cause stays readable', () => {
  const error = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), {
    code: 'ECONNREFUSED',
    status: 503,
  });
  const line = captured((logger) =>
    logger.error('a legacy call failed', {
      error,
      grantId: 'ab12'.repeat(6),
      path: '/1/profiles/4e9680c0512f7ed322000001.json',
    }),
  );
  expect(JSON.parse(line)).toMatchObject({
    level: 'error',
    process: 'test',
    message: 'a legacy call failed',
    grantId: 'ab12'.repeat(6),
    path: '/1/profiles/4e9680c0512f7ed322000001.json',
    error: { message: 'connect ECONNREFUSED 127.0.0.1:5432', code: 'ECONNREFUSED', status: 503 },
  });
  expect(line).toContain('redaction.test.ts');
});

test.each(['"', '"\\', '..."', 'token:"'])('quotes of %j cost no longer than other text', (unit) => {
  const text = `${unit.repeat(48_000 / unit.length)}is not valid JSON`;
  const plain = leastTime(() => redactText(`${'x '.repeat(text.length / 2)}is not valid JSON`));
  expect(leastTime(() => redactText(text))).toBeLessThan(20 * plain + 300);
});

test('each line names its machine, whatever a caller passes', () => {
  const line = captured((logger) => logger.info('a line', { host: LEGACY }));
  expect(JSON.parse(line)).toMatchObject({ host: hostname() });
  expect(line).not.toContain(LEGACY.slice(2));
  const ofError = captured((logger) => logger.error(new Error('no fields')));
  expect(JSON.parse(ofError)).toMatchObject({ host: hostname() });
});

test('a trace id stays readable under its own name alone, and nothing else under that name does', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const told = captured((logger) => logger.info('a line', { traceId, other: traceId }));
  expect(JSON.parse(told)).toMatchObject({ traceId, other: '[redacted]' });
  const other = captured((logger) => logger.info('a line', { traceId: LEGACY }));
  expect(other).not.toContain(LEGACY.slice(2));
  const capital = captured((logger) => logger.info('a line', { traceId: traceId.toUpperCase() }));
  expect(capital).not.toContain(traceId.toUpperCase());
});
