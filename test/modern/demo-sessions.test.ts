import { startDemo, type Demo } from '../../src/demo/integration.ts';
import { createLogger } from '../../src/shared/log/logger.ts';
import { logLines } from '../support/bridge/log-lines.ts';
import { sendRaw } from '../support/callers/raw-request.ts';

/** The demo keeps nothing for a request that begins nothing: a monitor or a page of another site may send them for ever. */

let demo: Demo;

beforeAll(async () => {
  const logger = createLogger({ level: 'error', name: 'demo', stream: logLines().stream });
  const settings = {
    host: '127.0.0.1',
    port: 0,
    publicUrl: 'http://127.0.0.1:1',
    bridgeUrl: 'http://127.0.0.1:1',
    clientId: 'a'.repeat(24),
    clientSecret: 'b'.repeat(32),
    logLevel: 'error',
  };
  demo = await startDemo(settings, logger);
});

afterAll(() => demo.close());

test.each(['/', '/flow', '/nowhere', '/posts'])('%s without a cookie begins no session', async (path) => {
  // The demo sends other hosts to its own.
  const own = { path, headers: { host: '127.0.0.1:1' } };
  const { status, headers } = await sendRaw(`http://127.0.0.1:${demo.port}`, own);
  expect(headers.location ?? '').not.toContain('127.0.0.1:1');
  expect(status).toBeLessThan(500);
  expect(headers['set-cookie']).toBeUndefined();
});
