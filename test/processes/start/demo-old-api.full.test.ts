import { NEWS } from '../../../src/demo-data/apps.ts';
import { layPairs } from '../../../src/demo-data/life.ts';
import { DEMO_PEOPLE } from '../../../src/demo-data/people.ts';
import { demoPairs } from '../../../src/demo-data/tokens.ts';
import { tokenOf } from '../../support/callers/legacy-calls.ts';
import { rawForm, sendRaw, type RawAnswer } from '../../support/callers/raw-request.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { buildProgram, runCommand, type Settings } from '../running-program.ts';
import { tokenFromCodePage } from '../walks.ts';
import { choosePlace, type Place, startWholeSystem, type WholeSystem } from '../whole-system.ts';

/** The demo is a whole migration: an old API answers tokens from years ago until the retirement. */

let place: Place;
let settings: Settings;
let system: WholeSystem;
let oldToken: string;

const read = (path: string, token: string): Promise<RawAnswer> =>
  sendRaw(system.bridgeUrl, { path, headers: { authorization: `Bearer ${token}` } });

const call = (path: string, form?: Record<string, string>): Promise<RawAnswer> => {
  if (form === undefined) return read(path, oldToken);
  const body = new URLSearchParams({ access_token: oldToken, ...form }).toString();
  return sendRaw(system.bridgeUrl, { method: 'POST', path, ...rawForm(body) });
};

/** A token that waits, of an app whose retirement nobody has put off. */
function waitingOfNews(): string {
  const ofNews = layPairs(demoPairs(''), 0).filter(({ clientId }) => clientId === NEWS.clientId);
  return ofNews.find(({ accountId }) => accountId === DEMO_PEOPLE.sam.accountId)?.tokens[0]?.token ?? '';
}

beforeAll(async () => {
  await buildProgram();
  place = await choosePlace();
  settings = { ...place.settings, DEMO_OLD_API_PORT: String(await freePort()) };
  system = await startWholeSystem(settings);
  oldToken = /from years ago[^]*?access_token=([^']+)'/.exec(system.welcome)?.[1] ?? '';
});

afterAll(async () => {
  await system.stop();
  place.remove();
});

test('the token that the start prints is answered at once, in the bytes of the old API', async () => {
  expect(system.welcome).toContain(`access_token=${oldToken}'`);
  const { status, text, json } = await call('/1/profiles.json');
  expect(status).toBe(200);
  expect(text).toContain('https:\\/\\/images');
  expect((json as unknown[]).length).toBeGreaterThan(3);
  expect((await call('/1/user.json')).json).toMatchObject({ name: 'Dana Demo' });
});

test('the old API and the new API tell the same profiles', async () => {
  const token = tokenOf(await tokenFromCodePage(system));
  const told = (await read('/1/profiles.json', token)).json as Array<Record<string, unknown>>;
  const old = (await call('/1/profiles.json')).json as Array<Record<string, unknown>>;
  const names = [
    'id',
    'service',
    'service_id',
    'service_type',
    'service_username',
    'formatted_username',
    'formatted_service',
    'timezone',
    'created_at',
    'user_id',
  ];
  const shown = (profiles: typeof told, id: unknown) =>
    names.map((name) => `${name}: ${String(profiles.find((one) => one['id'] === id)?.[name])}`);
  for (const { id } of old) expect(shown(old, id)).toEqual(shown(told, id));
});

test('a post is written to the old API, listed there and taken away again', async () => {
  const [profile] = (await call('/1/profiles.json')).json as Array<{ id: string }>;
  const list = `/1/profiles/${profile?.id}/updates/pending.json`;
  const made = await call('/1/updates/create.json', {
    text: 'Bread at seven',
    'profile_ids[]': profile?.id ?? '',
  });
  expect(made.json).toMatchObject({ success: true, updates: [{ text: 'Bread at seven', status: 'buffer' }] });
  const { updates } = made.json as { updates: Array<{ id: string }> };
  expect((await call(list)).json).toMatchObject({ total: 1, updates });
  expect((await call(`/1/updates/${updates[0]?.id}/destroy.json`, {})).json).toMatchObject({ success: true });
  expect((await call(list)).json).toEqual({ total: 0, updates: [] });
});

test('doctor finds the old API', async () => {
  const found = JSON.stringify(await runCommand(settings, ['doctor']));
  expect(found).toContain(`127.0.0.1:${settings['DEMO_OLD_API_PORT']} answers 401 to a call without a token`);
});

test('at the retirement the token stops, and its 401 says how to go on', async () => {
  const token = waitingOfNews();
  const before = await read('/1/profiles.json', token);
  expect(before.status).toBe(200);
  const begun = new Date(Date.now() - 60_000).toISOString();
  await runCommand(settings, [
    'dates',
    'set',
    'retirement',
    begun,
    '--reason',
    'the end of the demo',
    '--force',
  ]);
  const deadline = Date.now() + 60_000;
  let answer = before;
  while (answer.status === 200 && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 2000));
    answer = await read('/1/profiles.json', token);
  }
  expect(answer.status).toBe(401);
  expect(answer.json).toMatchObject({
    error: 'The provided access token is invalid',
    reauthorize: { link: expect.stringContaining('/apps/') as string },
  });
});

test('no part is left when the start is stopped', async () => {
  expect(await system.stop()).toBe(0);
  await expect(fetch(`http://127.0.0.1:${settings['DEMO_OLD_API_PORT']}/`)).rejects.toThrow();
});
