import { legacySchedules } from '../../src/http/legacy/legacy-profile.ts';
import { OLD_CALL_NAMES, OLD_CALLS, type OldCallName } from '../../src/domain/old-calls/old-calls.ts';
import { SERVED_HERE } from '../../src/store/usage/last-use.ts';
import { read } from '../support/callers/legacy-calls.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { connectApp, type Connected } from './support/connected.ts';
import { type Door, openDoor } from './support/door.ts';
import {
  expectChallenge,
  expectInvalidToken,
  expectMethodRefused,
  expectRefusal,
} from './support/expectations.ts';
import { knock } from './support/knock.ts';

/** The nineteen known calls of the old API, where only the new API can answer. */

const ID = '5e1f0c9a7b3d4e2f8a6c3d01';

let door: Door;
let connected: Connected;

beforeAll(async () => {
  door = await openDoor();
  connected = await connectApp(door);
});

afterAll(() => door.stop());

const NOT_SERVED = '{"error":"The endpoint you requested was not found.","code":404}';

const addressOf = (name: OldCallName) => OLD_CALLS[name].paths[0].replace(':id', ID);

const methodOf = (name: OldCallName) => OLD_CALLS[name].methods[0]!;

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const withToken = (path: string) => read(door, path, connected.token);

test('there are nineteen', () => {
  expect(OLD_CALL_NAMES).toHaveLength(19);
});

describe.each(OLD_CALL_NAMES)('%s', (name) => {
  const [path, method] = [addressOf(name), methodOf(name)];

  test('is 401 with a dead or unknown token, in each spelling and format of its address', async () => {
    const { ownerToken } = await door.addApp();
    for (const spelling of [`${path}.json`, path, `/${path}.json`, `${path}.json/`, `${path}//`])
      for (const token of [ownerToken, `1/${'0'.repeat(32)}`])
        expectInvalidToken(await knock(door, { method, path: spelling, headers: bearer(token) }));
  });

  test('is the recorded challenge without a token, but for the shares of a link', async () => {
    const answer = await sendRaw(door.bridgeUrl, { method, path: `${path}.json` });
    if (name === 'shares') expect(answer).toMatchObject({ status: 200, text: '{"shares":0}' });
    else expectChallenge(answer);
  });

  test('is answered by the new API where pages and mails do not say that it ends', async () => {
    // This one ends the token.
    if (name === 'deauthorize') return;
    const headers = bearer(connected.token);
    const answer = await sendRaw(door.bridgeUrl, { method, path: `${path}.json`, headers });
    // No program may change posting times any more, whoever asks.
    const isAnswered = answer.text !== NOT_SERVED && name !== 'updateSchedules';
    for (const pattern of OLD_CALLS[name].paths)
      expect([pattern, SERVED_HERE.includes(`${pattern}.json`)]).toEqual([pattern, isAnswered]);
  });

  test('is 405 by another method, and 406 in another format', async () => {
    const allow = OLD_CALLS[name].methods.join(', ');
    for (const other of ['HEAD', 'PUT', 'DELETE', 'OPTIONS'])
      expectMethodRefused(await knock(door, { method: other, path: `${path}.json` }), allow);
    expectRefusal(await knock(door, { method, path: `${path}.xml` }), 406, 1005);
  });
});

describe('profiles/:id/schedules', () => {
  test('are the posting times that the profile itself shows', async () => {
    const profiles = (await withToken('/1/profiles.json')).json as Array<{ id: string; schedules: unknown }>;
    expect(profiles.length).toBeGreaterThan(3);
    for (const { id, schedules } of profiles) {
      expect(schedules).toEqual(expect.any(Array));
      expect((await withToken(`/1/profiles/${id}/schedules.json`)).json).toEqual(schedules);
    }
    expect(JSON.stringify(profiles.map(({ schedules }) => schedules))).toContain('"times":["');
  });

  test('leave out the days on which the queue sends nothing', () => {
    const times = ['09:00'];
    const schedule = ['fri', 'sat', 'sun'].map((day) => ({ day, times, paused: day === 'sat' }));
    expect(legacySchedules(schedule)).toEqual([{ days: ['fri', 'sun'], times }]);
  });

  test('of a profile that the account does not reach are 404', async () => {
    expectRefusal(await withToken(`/1/profiles/${'f'.repeat(24)}/schedules.json`), 404, 1010);
  });

  test('are changed by a person: a program is told where', async () => {
    const path = `/1/profiles/${ID}/schedules/update.json`;
    const answer = await knock(door, { method: 'POST', path, headers: bearer(connected.token) });
    expectRefusal(answer, 400, 1012);
    const link = `${door.proxy.origin}/settings`;
    const message = `Posting times can no longer be changed by a program. Change them here: ${link}`;
    expect(answer.json).toEqual({ error: message, code: 1012, success: false, message, link });
  });
});

test('updates/:id/interactions is an honest empty list', async () => {
  const { status, json } = await withToken(`/1/updates/${ID}/interactions.json?page=1&count=10`);
  expect([status, json]).toEqual([200, { total: 0, interactions: [] }]);
});

test('info/configuration names every service with its limits, and nothing that nobody knows', async () => {
  interface Configuration {
    services: Record<string, { types: Record<string, { name: string; character_limit?: number }> }>;
    media: { picture_filetypes: string[] };
  }
  const { services, media } = (await withToken('/1/info/configuration.json')).json as Configuration;
  const profiles = (await withToken('/1/profiles.json')).json as Array<Record<string, string>>;
  for (const { service, service_type: type, formatted_service: name } of profiles)
    expect(services[service!]?.types[type!]).toMatchObject({ name });
  expect(services['twitter']).toEqual({
    types: {
      profile: { name: 'Twitter', character_limit: 280, icons: {}, supported_interactions: [] },
    },
    urls: {},
  });
  expect(media).toEqual({ picture_filetypes: ['jpg', 'jpeg', 'png', 'gif'] });
});

const askShares = (query: string) => sendRaw(door.bridgeUrl, { path: `/1/links/shares.json${query}` });

describe('links/shares', () => {
  test('may be read by every page, by fetch', async () => {
    const { headers, text } = await askShares('?url=https://a.example/');
    expect(text).toBe('{"shares":0}');
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'content-type': 'application/json;charset=UTF-8',
    });
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    expect((await read(door, '/1/links/shares.json', connected.token)).text).toBe('{"shares":0}');
  });

  test.each(['jQuery110203_1', '_', '$', 'app.callbacks.shares', 'a'.repeat(100)])(
    'is a script for the callback %s',
    async (callback) => {
      const { headers, text } = await askShares(`?url=x&callback=${callback}&_=1`);
      expect(text).toBe(`/**/${callback}({"shares":0});`);
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'content-type': 'application/javascript;charset=UTF-8',
        'x-content-type-options': 'nosniff',
      });
    },
  );

  test.each([
    '',
    '1a',
    'a.',
    '.a',
    'a..b',
    'a[0]',
    'a;b',
    'a+b',
    'a(b)',
    'alert%281%29%2F%2F',
    'a%0Ab',
    'a%0A',
    '%E2%80%A8a',
    '%C3%A9',
    '?',
    '<script>',
    'a'.repeat(101),
    'a&callback=b',
  ])('is JSON for the callback %s, which is no path of identifiers', async (callback) => {
    const { headers, text } = await askShares(`?callback=${callback}`);
    expect([text, headers['content-type']]).toEqual(['{"shares":0}', 'application/json;charset=UTF-8']);
  });
});
