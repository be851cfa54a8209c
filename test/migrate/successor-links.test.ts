import { request } from 'node:http';
import { ANCHORS } from '../../src/domain/new-calls/call-pairs.ts';
import { OLD_CALL_NAMES, OLD_CALLS, type OldCallName } from '../../src/domain/old-calls/old-calls.ts';
import { newLegacyToken } from '../../src/shared/ids.ts';
import { plan } from '../lifecycle/support/lifecycle-rows.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../support/servers/old-backend.ts';
import { type RawRequest, sendRaw } from '../support/callers/raw-request.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { addWaitingToken } from '../support/bridge/waiting-token.ts';

/** `Link: rel="successor-version"` (RFC 5829) on the answers of the nineteen old calls. */

const START = Date.parse('2027-01-10T12:00:00Z');
const DAY = 86_400_000;
const clock = new SettableClock(START);
const account: OldAccount = { tokens: [], user: { id: '4f0c0a06512f7ef214000000' }, profiles: [] };
let old: OldBackend;
let system: System;
let token: string;
/** One that the old API answers. */
let waiting: string;

beforeAll(async () => {
  old = await startOldBackend({ accounts: [account] });
  system = await startSystem({ clock, env: { LEGACY_BACKEND_URL: old.url, LEGACY_RATE_LIMIT: '0' } });
  token = await issueToken(system);
  const { clientId } = await system.registerApp('https://waits.example/callback');
  ({ token: waiting } = await addWaitingToken(system.bridge, { clientId }));
  account.tokens.push(waiting);
});

afterAll(async () => {
  await system.stop();
  await old.close();
});

const bearer = (value: string) => ({ authorization: `Bearer ${value}` });

/** Every line of `Link`, as it came. */
function linkLines({ path, method = 'GET', headers = {} }: RawRequest): Promise<string[]> {
  const { hostname, port } = new URL(system.bridgeUrl);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, method, headers, agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.headersDistinct['link'] ?? []));
    })
      .once('error', reject)
      .end();
  });
}

const successorOf = (name: OldCallName) =>
  `<${system.bridgeUrl}/migrate/calls#${ANCHORS[name]}>; rel="successor-version"; type="text/html"`;

const ID = '4f0c0a06512f7ef214000001';

/** Each address of each call, as a program sends it. */
const addresses = OLD_CALL_NAMES.flatMap((name) =>
  OLD_CALLS[name].paths.map((path) => [name, path.replace(':id', ID)] as const),
).filter(([name]) => name !== 'deauthorize');

const methodOf = (name: OldCallName) => (OLD_CALLS[name].isRead ? 'GET' : 'POST');

test.each(addresses)('an answer to %s leads to it, whoever gives it: %s', async (name, path) => {
  const method = methodOf(name);
  const answers = [
    { path: `${path}.json`, method, headers: bearer(token) },
    { path: `${path}.json`, method, headers: bearer(waiting) },
    { path: `${path}.json`, method, headers: bearer(newLegacyToken()) },
    { path: `${path}.json`, method },
    { path, method, headers: bearer(token) },
    { path: `${path}.xml`, method, headers: bearer(token) },
    { path: `/${path}.json/`, method, headers: bearer(token) },
    { path: `${path}.json?access_token=a`, method, headers: bearer(token) },
    { path: `${path}.json`, method: 'DELETE', headers: bearer(token) },
  ];
  for (const answer of answers) expect(await linkLines(answer)).toEqual([successorOf(name)]);
});

test.each(['/1/user/deauthorize.json', '/user/deauthorize'])(
  'an end without a token leads to it too: %s',
  async (path) => {
    expect(await linkLines({ path, method: 'POST' })).toEqual([successorOf('deauthorize')]);
  },
);

test.each(['/1/nothing.json', '/1', '/1/oauth2/token.json', '/oauth2/authorize', '/migrate/calls', '/'])(
  'nothing takes the place of %s',
  async (path) => {
    expect(await linkLines({ path, headers: bearer(token) })).toEqual([]);
  },
);

test('every target is an anchor of the page that stands there', async () => {
  const html = await (await fetch(`${system.bridgeUrl}/migrate/calls`)).text();
  for (const anchor of Object.values(ANCHORS)) expect(html.split(`id="${anchor}"`)).toHaveLength(2);
});

test('links of the old API stand behind it as they came, where no dates are told', async () => {
  const theirs = ['Link', '<x:y>; rel="next"', 'Link', '<x:z>;rel=last'];
  await old.setBehaviour({ status: 200, headers: theirs, body: '{}' });
  const lines = await linkLines({ path: '/1/user.json', headers: bearer(waiting) });
  const unknown = await linkLines({ path: '/1/nothing.json', headers: bearer(waiting) });
  await old.setBehaviour('normal');
  expect(lines).toEqual([successorOf('user'), '<x:y>; rel="next"', '<x:z>;rel=last']);
  expect(unknown).toEqual(['<x:y>; rel="next"', '<x:z>;rel=last']);
});

const dates = (name: string) => `<${system.bridgeUrl}/lifecycle>; rel="${name}"; type="text/html"`;
const meta = () => `<${system.bridgeUrl}/lifecycle.json>; rel="service-meta"; type="application/json"`;

describe('with dates', () => {
  test('it stands behind their links in one line, for an app with more time too', async () => {
    const { clientId } = system.app;
    const extensions = [{ clientId, name: 'sunset' as const, until: START + 9 * DAY }];
    await plan(system.bridge, { dates: { deprecation: START - DAY, sunset: START + DAY }, extensions });
    const line = [dates('deprecation'), dates('sunset'), meta(), successorOf('user')].join(', ');
    expect(await linkLines({ path: '/1/user.json', headers: bearer(token) })).toEqual([line]);
    expect(await linkLines({ path: '/1/user.json', headers: bearer(waiting) })).toEqual([line]);
    expect(await linkLines({ path: '/1/user.json' })).toEqual([line]);
  });

  test('after the sunset every call leads to it', async () => {
    await plan(system.bridge, { dates: { sunset: START - DAY } });
    for (const [name, path] of addresses) {
      const call = { path: `${path}.json`, method: methodOf(name), headers: bearer(token) };
      expect((await sendRaw(system.bridgeUrl, call)).status).toBe(410);
      expect(await linkLines(call)).toEqual([[dates('sunset'), meta(), successorOf(name)].join(', ')]);
    }
  });
});
