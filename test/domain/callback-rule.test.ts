import { callbackProblem } from '../../src/domain/apps/callback-rule.ts';
import { leastTime } from '../support/least-time.ts';

/** Which callbacks may be registered anew: https or loopback, and nothing of docs/threats.md U1 to U34. */

test.each([
  'https://app.example.com/cb',
  'https://app.example.com',
  'https://app.example.com:8443/cb?tenant=1&next=%2Fhome',
  'HTTPS://APP.EXAMPLE.COM/Cb',
  'https://xn--bcher-kva.example/cb',
  'https://192.0.2.7/cb',
  'http://localhost:3000/cb',
  'http://127.0.0.1/cb',
  'http://127.9.9.9:8080/cb',
  'http://[::1]:5000/cb',
])('%s may be registered', (uri) => {
  expect(callbackProblem(uri)).toBeUndefined();
});

const CHARACTERS = 'must be plain ASCII';
const WHOLE = 'must be a whole address';
const HTTPS = 'must be https, or http on this machine alone';
const HOST = 'must name its host in the usual way';

test.each<[uri: string, problem: string]>([
  ['urn:ietf:wg:oauth:2.0:oob', 'shows the code on a page'],
  ['', WHOLE],
  ['/cb', WHOLE],
  ['//app.example.com/cb', WHOLE],
  ['app.example.com/cb', WHOLE],
  ['https://', WHOLE],
  ['https://app.example.com:99999/cb', WHOLE],
  ['http://app.example.com/cb', HTTPS],
  ['http://localhost.example.com/cb', HTTPS],
  ['http://10.0.0.1/cb', HTTPS],
  ['javascript:alert(1)//https://app.example.com/cb', HTTPS],
  ['data:text/html,x', HTTPS],
  ['myapp://cb', HTTPS],
  ['https:/app.example.com/cb', HTTPS],
  ['https:app.example.com/cb', HTTPS],
  ['https://app.example.com/cb#f', 'must not contain a fragment'],
  ['https://app.example.com/cb#', 'must not contain a fragment'],
  ['https://*.example.com/cb', 'must be written out'],
  ['https://app.example.com@evil.com/cb', 'user name or password'],
  ['https://@evil.com/cb', 'user name or password'],
  ['https://u:p@evil.com/cb', 'user name or password'],
  ['https://app.example.com\\@evil.com/cb', CHARACTERS],
  ['https://app.example.com/c b', CHARACTERS],
  [' https://app.example.com/cb', CHARACTERS],
  ['https://app.example.com/cb\t', CHARACTERS],
  ['https://app.example.com/cb\n', CHARACTERS],
  ['https://app.example.com/cb\0', CHARACTERS],
  ['https://app.example.com/cb\u{200B}', CHARACTERS],
  ['https://аpp.example.com/cb', CHARACTERS],
  ['https://app.example.com/"><script>', CHARACTERS],
  ['https://app.example.com%00.evil.com/cb', 'percent-encoded control character'],
  ['https://app.example.com/cb%00', 'percent-encoded control character'],
  ['https://app.example.com/cb%0A%0D', 'percent-encoded control character'],
  ['https://app.example.com/cb%09', 'percent-encoded control character'],
  ['https://app.example.com/cb%7F', 'percent-encoded control character'],
  ['https://ex%61mple.com/cb', HOST],
  ['https://[::ffff:1.2.3.4]/cb', HOST],
  ['http://2130706433/cb', HOST],
  ['http://127.1/cb', HOST],
  ['https:///app.example.com/cb', HOST],
  ['https://app..example.com/cb', HOST],
  ['https://app.example.com./cb', HOST],
  ['https://app.example.com/cb/../evil', 'part . or ..'],
  ['https://app.example.com/cb/%2e%2E/evil', 'part . or ..'],
  ['https://app.example.com/.', 'part . or ..'],
  ['https://app.example.com/cb?code=attacker', 'parameter that the answer adds'],
  ['https://app.example.com/cb?x=1&st%61te=s', 'parameter that the answer adds'],
  [`https://app.example.com/${'a'.repeat(2000)}`, 'longer than 2000'],
])('%j may not', (uri, problem) => {
  expect(callbackProblem(uri)).toContain(problem);
});

test('the longest that may be registered has 2000 characters, and the rule takes no time on longer ones', () => {
  const start = 'https://app.example.com/';
  expect(callbackProblem(start.padEnd(2000, 'a'))).toBeUndefined();
  const refuse = () => {
    for (const filler of ['.', '%2e', '/..', '@', '?code', '%0'])
      expect(callbackProblem(start + filler.repeat(200_000))).toContain('longer than 2000');
  };
  expect(leastTime(refuse)).toBeLessThan(2000);
});
