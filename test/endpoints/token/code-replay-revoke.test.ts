import { revokeByHand } from '../../../src/domain/tokens/revoke-token.ts';
import { mappingOf } from '../../support/bridge/waiting-token.ts';
import { exchange, read, tokenOf } from '../../support/callers/legacy-calls.ts';
import { connectApp } from '../support/connected.ts';
import { type Door, openDoor } from '../support/door.ts';
import { expectInvalidToken, expectTokenError } from '../support/expectations.ts';

const BY = { reason: 'for the test', actor: 'test', requestId: null };

let door: Door;

beforeAll(async () => {
  door = await openDoor({ env: { LEGACY_CODE_REPLAY: 'revoke' } });
});

afterAll(() => door.stop());

test('rows T10 and C54 with LEGACY_CODE_REPLAY=revoke a replay ends the issued token, for good and it alone', async () => {
  const connected = await connectApp(door);
  const code = await connected.mint();
  const token = tokenOf(await exchange(door, code));
  expect(await read(door, '/1/user.json', token)).toMatchObject({ status: 200 });
  for (let replay = 0; replay < 2; replay++) {
    expectTokenError(await exchange(door, code), 400, 'invalid_grant');
    expectInvalidToken(await read(door, '/1/user.json', token));
  }
  expect(await read(door, '/1/user.json', connected.token)).toMatchObject({ status: 200 });
});

test('the grant of a token that ends so ends too, where it serves no other', async () => {
  const connected = await connectApp(door, await door.registerApp('https://alone.example/callback'));
  const code = await connected.mint();
  const token = tokenOf(await exchange(door, code, connected.app));
  const { id } = await connected.grant();
  const { durable } = door.bridge.context.store;
  const replayed = await mappingOf(door.bridge, token);
  const others = durable.selectFrom('mappings').select('id').where('grant_id', '=', id);
  for (const other of await others.where('id', '<>', replayed?.id ?? '').execute())
    await revokeByHand(door.bridge.context, { ...BY, mappingId: other.id });
  expect(await read(door, '/1/user.json', token)).toMatchObject({ status: 200 });
  expectTokenError(await exchange(door, code, connected.app), 400, 'invalid_grant');
  expect((await mappingOf(door.bridge, token))?.reason).toBe('code_replayed');
  const grant = durable.selectFrom('grants').select(['state', 'dead_cause']).where('id', '=', id);
  expect(await grant.executeTakeFirst()).toEqual({ state: 'dead', dead_cause: 'deauthorized' });
});

test('rows T10 and C54 of 64 at once one wins, and the losers end its token', async () => {
  const connected = await connectApp(door);
  const code = await connected.mint();
  const answers = await Promise.all(Array.from({ length: 64 }, () => exchange(door, code)));
  const won = answers.filter(({ status }) => status === 200);
  expect(won).toHaveLength(1);
  expectInvalidToken(await read(door, '/1/user.json', tokenOf(won[0]!)));
});
