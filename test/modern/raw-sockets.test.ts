import { sendBytes } from '../endpoints/support/knock.ts';
import { base, withModern } from './support/running-modern.ts';

/** docs/threats.md C72: bytes that no HTTP client would send, written to the socket. */

withModern();

const head = (...lines: string[]) =>
  ['POST /token HTTP/1.1', 'Host: localhost', ...lines, '', ''].join('\r\n');
const CHUNKED = 'Transfer-Encoding: chunked';

test.each([
  ['a length and chunks', head('Content-Length: 5', CHUNKED) + '0\r\n\r\n', 400],
  ['chunks and a length', head(CHUNKED, 'Content-Length: 5') + '0\r\n\r\n', 400],
  ['a bad chunk', head('Content-Type: application/x-www-form-urlencoded', CHUNKED) + 'ZZ\r\nabc\r\n', 400],
  ['two lengths', head('Content-Length: 5', 'Content-Length: 6') + 'abcde', 400],
  ['a header without a colon', head('Broken header'), 400],
  ['256 kB of headers', head(`X-Long: ${'x'.repeat(256 * 1024)}`), 431],
])('%s: one refusal, the connection closed, and the server goes on', async (_what, bytes, status) => {
  const received = await sendBytes({ bridgeUrl: base }, bytes);
  expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(received.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  expect(received).not.toMatch(/access_token|\bat .+:\d+/);
  expect((await fetch(`${base}/`)).status).toBe(200);
});
