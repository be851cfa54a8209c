import { GrantDead } from '../../src/domain/grants/refresh/access-token.ts';
import { revokeByHand } from '../../src/domain/tokens/revoke-token.ts';
import { resolveToken, servedBy, TokenRefused } from '../../src/domain/tokens/resolve-token.ts';
import { connectApp } from '../endpoints/support/connected.ts';
import { type Door, openDoor } from '../endpoints/support/door.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';

/** A call goes on with the grant of a newer consent, and a refusal says why, however many grants have ended meanwhile. */

let door: Door;
beforeAll(async () => {
  door = await openDoor();
});
afterAll(() => door.stop());

const ended = () => new GrantDead('the grant has ended');

/** A call that found its token served by a grant, and the newer grant that a consent has made since. */
async function staleCall() {
  const { token } = await connectApp(door);
  const found = await resolveToken(door.bridge.context, token);
  if (found.kind !== 'served') throw new Error(found.kind);
  await issueToken(door, { app: door.app });
  const now = await resolveToken(door.bridge.context, token);
  return { mapping: found.mapping, newer: now.mapping?.grant_id };
}

test('a call whose grant has ended is served by the grant of a newer consent', async () => {
  const { mapping, newer } = await staleCall();
  expect(newer).not.toBe(mapping.grant_id);
  const answer = await servedBy(door.bridge.context, mapping, async ({ id }) => {
    if (id !== newer) throw ended();
    return 'served';
  });
  expect(answer).toBe('served');
});

test('where the newer grant has ended too, the refusal says what became of the token and links to the owner', async () => {
  const { mapping } = await staleCall();
  const grants: string[] = [];
  const call = servedBy(door.bridge.context, mapping, async ({ id }) => {
    grants.push(id);
    const request = { mappingId: mapping.id, reason: 'for the test', actor: 'test', requestId: null };
    if (grants.length === 2) await revokeByHand(door.bridge.context, request);
    throw ended();
  });
  const refused = await call.catch((error: unknown) => error);
  expect(grants).toHaveLength(2);
  if (!(refused instanceof TokenRefused)) throw refused;
  expect(refused.mapping?.state).toBe('revoked');
  expect(refused.reauthorize?.link).toContain(`/apps/${door.app.clientId}`);
});
