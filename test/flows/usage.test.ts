import { findTokens } from '../../src/domain/find-tokens.ts';
import { until } from '../support/held-answer.ts';
import { rawForm, type RawRequest, sendRaw } from '../support/raw-request.ts';
import { connectApp, type Connected } from '../endpoints/support/connected.ts';
import { type Door, openDoor } from '../endpoints/support/door.ts';

/** What a token is used for is measured where its calls are answered. */

let door: Door;
let connected: Connected;

beforeAll(async () => {
  door = await openDoor();
  connected = await connectApp(door);
});
afterAll(() => door.stop());

const call = (request: Partial<RawRequest>) =>
  sendRaw(door.bridgeUrl, { path: '/1/profiles.json', ...request });

const agent = { 'user-agent': 'old-client/0.1 (test)' };

/** What is written, as `endpoint carrier agent outcome calls`; a bridge in a process of its own writes every ten seconds. */
async function written(calls: number): Promise<string[]> {
  const { store, usage } = door.bridge.context;
  const read = async () => {
    await usage.flush();
    return store.volatile.selectFrom('usage').selectAll().execute();
  };
  let rows = await read();
  await until(async () => {
    rows = await read();
    return rows.reduce((sum, row) => sum + row.calls, 0) >= calls;
  }, 20_000);
  return rows
    .map((row) => [row.endpoint, row.carrier, row.user_agent, row.outcome, row.calls].join(' '))
    .toSorted();
}

test('each call with a known token is counted by how it came and what became of it, and no other', async () => {
  const { token, app } = connected;
  const bearer = { ...agent, authorization: `Bearer ${token}` };
  const encoded = encodeURIComponent(token);
  await call({ headers: bearer });
  await call({ headers: bearer });
  await call({ path: `/1/profiles.json?access_token=${encoded}`, headers: agent });
  const form = rawForm(`access_token=${encoded}`);
  await call({ method: 'POST', ...form, headers: { ...form.headers, ...agent } });
  const profile = `/1/profiles/${'f'.repeat(24)}.json`;
  expect((await call({ path: profile, headers: bearer })).status).toBe(404);
  await call({ headers: { ...agent, authorization: `Bearer 1/${'0'.repeat(32)}` } });
  await call({ headers: agent });
  await sendRaw(door.bridgeUrl, { path: '/1/user/deauthorize.json', headers: bearer });
  expect((await call({ headers: bearer })).status).toBe(401);
  const name = 'old-client/0.1 (test)';
  expect(await written(7)).toEqual([
    `/1/profiles.json body ${name} ok 1`,
    `/1/profiles.json header ${name} ok 2`,
    `/1/profiles.json header ${name} refused 1`,
    `/1/profiles.json query ${name} ok 1`,
    `/1/profiles/:id.json header ${name} other 1`,
    `/1/user/deauthorize.json header ${name} ok 1`,
  ]);
  const { tokens } = await findTokens(door.bridge.context, token.slice(-4));
  expect(tokens).toMatchObject([
    {
      row: { client_id: app.clientId, state: 'revoked' },
      usage: { calls: 7, carriers: ['header', 'body', 'query'], userAgents: [name] },
    },
  ]);
}, 60_000);
