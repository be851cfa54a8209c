import { browserOf, pressIn, wordsOf } from '../owners/support/people.ts';
import { keyFor, programOf } from '../staff-api/support/api-client.ts';
import { mappingOf } from '../support/bridge/waiting-token.ts';
import { logLines } from '../support/bridge/log-lines.ts';
import { exchange, freshCode, issueToken, read, tokenOf } from '../support/callers/legacy-calls.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** The log alone says who ended a token, and in which request. */

type Line = Record<string, unknown>;

const log = logLines();
let system: System;

beforeAll(async () => {
  const env = { LEGACY_CODE_REPLAY: 'revoke' };
  system = await startSystem({ env, log: { level: 'info', stream: log.stream } });
});
afterAll(() => system.stop());

async function linesWith(message: string): Promise<Line[]> {
  await system.bridge.untilLogged();
  return log
    .lines()
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line['message'] === message);
}

const idOf = async (token: string) => (await mappingOf(system.bridge, token))?.id;

/** The end of one token, as its refused call tells it and as the line of its end does. */
async function endOf(token: string) {
  expect((await read(system, '/1/profiles.json', token)).status).toBe(401);
  const mappingId = await idOf(token);
  const refused = (await linesWith('request')).filter((line) => line['mappingId'] === mappingId).at(-1);
  const ended = (await linesWith('tokens were ended')).at(-1);
  return { mappingId, refused, ended };
}

test('its app ended it', async () => {
  const token = await issueToken(system);
  const { headers } = await sendRaw(system.bridgeUrl, {
    method: 'POST',
    path: '/1/user/deauthorize.json',
    headers: { authorization: `Bearer ${token}` },
  });
  const { mappingId, refused, ended } = await endOf(token);
  const { clientId } = system.app;
  expect(refused).toMatchObject({ answeredBy: 'revoked', reason: 'deauthorized' });
  const told = { level: 'info', clientId, mappings: [mappingId], tokens: 1 };
  const requestId = headers['x-request-id'];
  expect(ended).toMatchObject({ ...told, by: 'app', reason: 'deauthorized', requestId });
});

test('the account holder ended all tokens of the app, on its page', async () => {
  const tokens = [await issueToken(system), await issueToken(system)];
  const holder = await browserOf(system, system.person);
  const { clientId } = system.app;
  const asks = await holder.get(`${system.bridgeUrl}/apps/${clientId}/revoke`);
  expect(wordsOf(await holder.follow(await pressIn(holder, asks, /^Revoke$/)))).toContain('Revoked.');
  const ids = await Promise.all(tokens.map(idOf));
  const { ended } = await endOf(tokens[0]!);
  expect(ended).toMatchObject({ clientId, tokens: 2, by: 'account', reason: 'deauthorized' });
  expect(ended?.['mappings']).toEqual(expect.arrayContaining(ids));
  expect(JSON.stringify(ended)).not.toContain('account:');
});

test('support ended it by a program; its words stand in the history alone', async () => {
  const token = await issueToken(system);
  const program = programOf(system, (await keyFor(system, 'agent')).key);
  const mappingId = await idOf(token);
  const { status, headers } = await program.post(`/tokens/${mappingId}/revoke`, {
    reason: 'Jane asked us by phone',
  });
  expect(status).toBe(200);
  const { refused, ended } = await endOf(token);
  expect(refused).toMatchObject({ reason: 'by hand' });
  const requestId = headers['x-request-id'];
  expect(ended).toMatchObject({ mappings: [mappingId], by: 'key', reason: 'by hand', requestId });
  expect(log.lines().join('\n')).not.toContain('Jane asked');
});

test('a second use of its code ended it', async () => {
  const code = await freshCode(system);
  const token = tokenOf(await exchange(system, code));
  const { status, headers } = await exchange(system, code);
  expect(status).toBe(400);
  const { mappingId, ended } = await endOf(token);
  const requestId = headers['x-request-id'];
  expect(ended).toMatchObject({ mappings: [mappingId], by: 'app', reason: 'code_replayed', requestId });
});

test('an end of what has ended before has no line', async () => {
  const token = await issueToken(system);
  const deauthorize = () =>
    sendRaw(system.bridgeUrl, {
      method: 'POST',
      path: '/1/user/deauthorize.json',
      headers: { authorization: `Bearer ${token}` },
    });
  await deauthorize();
  const before = (await linesWith('tokens were ended')).length;
  expect((await deauthorize()).status).toBe(401);
  expect(await linesWith('tokens were ended')).toHaveLength(before);
});
