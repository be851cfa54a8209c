import { approvalAddress, authorizePath, rowsOf } from './support/authorize-address.ts';
import { CALLBACK, type Door, openDoor } from './support/door.ts';
import { expectPage400 } from './support/expectations.ts';
import { expectAlive, fastestWithin, knock } from './support/knock.ts';

/** Hardening 3.2, table A: every form of a callback that is not byte for byte the registered one. */

const HOST = 'app.example.com';

const FOREIGN: Array<[row: string, uri: string]> = [
  ['A1 another case in the path', `https://${HOST}/CB`],
  ['A2 another case in scheme and host', 'HTTPS://APP.EXAMPLE.COM/cb'],
  ['A3 a trailing slash', `${CALLBACK}/`],
  ['A4 dot segments', `${CALLBACK}/../evil`],
  ['A5 encoded dot segments', `${CALLBACK}/%2e%2e/evil`],
  ['A6 an encoded slash after dots', `${CALLBACK}/..%2Fevil`],
  ['A7 a slash encoded twice', `${CALLBACK}/..%252Fevil`],
  ['A8 an encoded slash', `${CALLBACK}%2Fevil`],
  ['A9 a path parameter', `${CALLBACK};/../../evil`],
  ['A10 encoded line breaks', `${CALLBACK}%0A%0D/../evil`],
  ['A11 the host as a prefix', `https://${HOST}.evil.com/cb`],
  ['A12 the callback as a query', `https://evil.com/?${CALLBACK}`],
  ['A13 the host as user name', `https://${HOST}@evil.com/cb`],
  ['A14 a backslash before @', `https://${HOST}\\@evil.com/cb`],
  ['A15 an encoded NUL in the host', `https://${HOST}%00.evil.com/cb`],
  ['A16 the host as a suffix', `https://evil${HOST}/cb`],
  ['A17 http in place of https', `http://${HOST}/cb`],
  ['A18 another port', `https://${HOST}:444/cb`],
  ['A19 the default port written out', `https://${HOST}:443/cb`],
  ['A20 an added query', `${CALLBACK}?x=1`],
  ['A21 a fragment', `${CALLBACK}#f`],
  ['A22 a code of the attacker', `${CALLBACK}?code=attacker`],
  ['A23 a javascript address', `javascript:alert(1)//${CALLBACK}`],
  ['A24 a data address', 'data:text/html,x'],
  ['A25 no scheme', `//${HOST}/cb`],
  ['A26 a path alone', '/cb'],
  ['A27 a loopback address', 'http://127.0.0.1/cb'],
  ['A27 localhost', 'http://localhost/cb'],
  ['A28 an encoded tab', `${CALLBACK}%09`],
  ['A28 a tab', `${CALLBACK}\t`],
  ['A28 a leading space', ` ${CALLBACK}`],
  ['A28 a trailing space', `${CALLBACK} `],
  ['A28 a zero width space', `${CALLBACK}\u200b`],
  ['A29 a Cyrillic letter in the host', `https://\u0430pp.example.com/cb`],
  ['A29 the punycode of it', 'https://xn--pp-7kc.example.com/cb'],
  ['A30 an IPv4 address mapped into IPv6', 'https://[::ffff:1.2.3.4]/cb'],
];

let door: Door;

beforeAll(async () => {
  door = await openDoor();
});

afterAll(async () => {
  await expectAlive(door);
  await door.stop();
});

/** PAGE400 and nothing kept, for a query written by hand. */
async function expectRefused(query: string): Promise<void> {
  const before = await rowsOf(door);
  const path = `/oauth2/authorize?client_id=${door.app.clientId}&response_type=code&state=s&${query}`;
  const answer = await knock(door, { path });
  expectPage400(answer);
  expect(answer.text).not.toContain('evil');
  expect(await rowsOf(door)).toEqual(before);
}

test.each(FOREIGN)('row %s is an error page and no redirect', async (_row, uri) => {
  await expectRefused(`redirect_uri=${encodeURIComponent(uri)}`);
});

const writable = FOREIGN.filter(([, uri]) => /^[\x21-\x7e]+$/.test(uri));

test.each(writable)('row %s is an error page when it stands in the address as it is', async (_row, uri) => {
  await expectRefused(`redirect_uri=${uri}`);
});

const good = encodeURIComponent(CALLBACK);
const evil = encodeURIComponent('https://evil.com/cb');

test.each([
  ['A31 the good one, then an evil one', `redirect_uri=${good}&redirect_uri=${evil}`],
  ['A31 an evil one, then the good one', `redirect_uri=${evil}&redirect_uri=${good}`],
  ['A31 the good one twice', `redirect_uri=${good}&redirect_uri=${good}`],
  ['A32 in the form of an array', `redirect_uri[]=${good}`],
  ['A32 with an index', `redirect_uri[0]=${good}`],
  ['A32 with an encoded bracket', `redirect_uri%5B%5D=${good}`],
  ['A32 once plain and once with an index', `redirect_uri=${good}&redirect_uri[0]=${evil}`],
])('row %s is an error page and no redirect', async (_row, query) => {
  await expectRefused(query);
});

test('row A33 a callback of 8,000 characters is refused within 50 ms', async () => {
  const query = `redirect_uri=${encodeURIComponent(CALLBACK)}/${'a'.repeat(8000)}`;
  expect(await fastestWithin(50, () => expectRefused(query))).toBeLessThan(50);
});

test('row A34 an empty callback counts as absent, so that the only registered one is used', async () => {
  const answer = await knock(door, { path: authorizePath(door.app, { redirect_uri: '' }) });
  expect(answer.status).toBe(302);
  expect(answer.headers.location).toMatch(approvalAddress(door.bridgeUrl));
});
