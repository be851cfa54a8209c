import { approvalAddress, authorizePath, rowsOf } from '../support/authorize-address.ts';
import { CALLBACK, type Door, openDoor } from '../support/door.ts';
import { expectPage400 } from '../support/expectations.ts';
import { expectAlive, fastestWithin, knock } from '../support/knock.ts';

/** docs/threats.md U1 to U34: every form of a callback that is not byte for byte the registered one. */

const HOST = 'app.example.com';

const FOREIGN: Array<[row: string, uri: string]> = [
  ['U1 another case in the path', `https://${HOST}/CB`],
  ['U2 another case in scheme and host', 'HTTPS://APP.EXAMPLE.COM/cb'],
  ['U3 a trailing slash', `${CALLBACK}/`],
  ['U4 dot segments', `${CALLBACK}/../evil`],
  ['U5 encoded dot segments', `${CALLBACK}/%2e%2e/evil`],
  ['U6 an encoded slash after dots', `${CALLBACK}/..%2Fevil`],
  ['U7 a slash encoded twice', `${CALLBACK}/..%252Fevil`],
  ['U8 an encoded slash', `${CALLBACK}%2Fevil`],
  ['U9 a path parameter', `${CALLBACK};/../../evil`],
  ['U10 encoded line breaks', `${CALLBACK}%0A%0D/../evil`],
  ['U11 the host as a prefix', `https://${HOST}.evil.com/cb`],
  ['U12 the callback as a query', `https://evil.com/?${CALLBACK}`],
  ['U13 the host as user name', `https://${HOST}@evil.com/cb`],
  ['U14 a backslash before @', `https://${HOST}\\@evil.com/cb`],
  ['U15 an encoded NUL in the host', `https://${HOST}%00.evil.com/cb`],
  ['U16 the host as a suffix', `https://evil${HOST}/cb`],
  ['U17 http in place of https', `http://${HOST}/cb`],
  ['U18 another port', `https://${HOST}:444/cb`],
  ['U19 the default port written out', `https://${HOST}:443/cb`],
  ['U20 an added query', `${CALLBACK}?x=1`],
  ['U21 a fragment', `${CALLBACK}#f`],
  ['U22 a code of the attacker', `${CALLBACK}?code=attacker`],
  ['U23 a javascript address', `javascript:alert(1)//${CALLBACK}`],
  ['U24 a data address', 'data:text/html,x'],
  ['U25 no scheme', `//${HOST}/cb`],
  ['U26 a path alone', '/cb'],
  ['U27 a loopback address', 'http://127.0.0.1/cb'],
  ['U27 localhost', 'http://localhost/cb'],
  ['U28 an encoded tab', `${CALLBACK}%09`],
  ['U28 a tab', `${CALLBACK}\t`],
  ['U28 a leading space', ` ${CALLBACK}`],
  ['U28 a trailing space', `${CALLBACK} `],
  ['U28 a zero width space', `${CALLBACK}\u200b`],
  ['U29 a Cyrillic letter in the host', `https://\u0430pp.example.com/cb`],
  ['U29 the punycode of it', 'https://xn--pp-7kc.example.com/cb'],
  ['U30 an IPv4 address mapped into IPv6', 'https://[::ffff:1.2.3.4]/cb'],
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
  ['U31 the good one, then an evil one', `redirect_uri=${good}&redirect_uri=${evil}`],
  ['U31 an evil one, then the good one', `redirect_uri=${evil}&redirect_uri=${good}`],
  ['U31 the good one twice', `redirect_uri=${good}&redirect_uri=${good}`],
  ['U32 in the form of an array', `redirect_uri[]=${good}`],
  ['U32 with an index', `redirect_uri[0]=${good}`],
  ['U32 with an encoded bracket', `redirect_uri%5B%5D=${good}`],
  ['U32 once plain and once with an index', `redirect_uri=${good}&redirect_uri[0]=${evil}`],
])('row %s is an error page and no redirect', async (_row, query) => {
  await expectRefused(query);
});

test('row U33 a callback of 8,000 characters is refused within 50 ms', async () => {
  const query = `redirect_uri=${encodeURIComponent(CALLBACK)}/${'a'.repeat(8000)}`;
  expect(await fastestWithin(50, () => expectRefused(query))).toBeLessThan(50);
});

test('row U34 an empty callback counts as absent, so that the only registered one is used', async () => {
  const answer = await knock(door, { path: authorizePath(door.app, { redirect_uri: '' }) });
  expect(answer.status).toBe(302);
  expect(answer.headers.location).toMatch(approvalAddress(door.bridgeUrl));
});
