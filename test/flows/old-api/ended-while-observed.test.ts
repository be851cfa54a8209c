import { EventEmitter, once } from 'node:events';
import { revokeByHand } from '../../../src/domain/tokens/revoke-token.ts';
import { newLegacyToken } from '../../../src/shared/ids.ts';
import { issueToken, read } from '../../support/callers/legacy-calls.ts';
import { sendRaw } from '../../support/callers/raw-request.ts';
import { until } from '../../support/servers/held-answer.ts';
import type { OldAccount } from '../../support/servers/old-backend.ts';
import { actionsOf, addWaitingToken, mappingOf } from '../../support/bridge/waiting-token.ts';
import { old, system, withOldApi } from '../support/old-api.ts';

/** A token that its program ends at the old API ends here too, whatever the bridge learns of it at the same time. */

const account: OldAccount = { tokens: [], user: { id: '4f0c0a06512f7ef214000000' }, profiles: [] };
const DEAUTHORIZE = '/1/user/deauthorize.json';

withOldApi(account);

/** Holds back what the old API answers at a path; it is the answer of the moment in which it was asked. */
async function hold(path: string): Promise<() => void> {
  const released = new EventEmitter();
  await old.setBehaviour({ path, sentAfter: once(released, 'now').then(() => undefined) });
  return () => void released.emit('now');
}

const deauthorize = (token: string) =>
  sendRaw(system.bridgeUrl, {
    method: 'POST',
    path: DEAUTHORIZE,
    headers: { authorization: `Bearer ${token}` },
  });

test('a token that is being stored when its program ends it does not wait for a consent', async () => {
  const token = newLegacyToken();
  old.addToken(account.user.id, token);
  const release = await hold('/1/user.json');
  expect((await read(system, '/1/profiles.json', token)).status).toBe(200);
  await until(() => old.seen('GET', '/1/user.json').length === 1);
  expect((await deauthorize(token)).status).toBe(200);
  expect(await mappingOf(system.bridge, token)).toBeUndefined();
  release();
  await until(async () => (await mappingOf(system.bridge, token))?.state === 'revoked');
  const mapping = await mappingOf(system.bridge, token);
  expect(mapping?.reason).toBe('deauthorized');
  expect(await actionsOf(system.bridge, mapping?.id ?? '')).toEqual(['token_observed', 'token_revoked']);
});

test('an end that was asked for while the token waited takes its grant along, where a consent came meanwhile', async () => {
  const token = newLegacyToken();
  old.addToken(account.user.id, token);
  const app = await system.registerApp('https://observed.example/cb');
  const { mappingId } = await addWaitingToken(system.bridge, {
    clientId: app.clientId,
    token,
    source: 'observed',
  });
  const release = await hold(DEAUTHORIZE);
  const before = old.seen('POST', DEAUTHORIZE).length;
  const ending = deauthorize(token);
  await until(() => old.seen('POST', DEAUTHORIZE).length > before);
  // What a consent with this token chosen leaves, when the app has given its new token back.
  const issued = await mappingOf(system.bridge, await issueToken(system, { app }));
  const { context } = system.bridge;
  const { durable } = context.store;
  await durable
    .updateTable('mappings')
    .set({ state: 'active', account_id: issued?.account_id, grant_id: issued?.grant_id })
    .where('id', '=', mappingId)
    .execute();
  const by = { reason: 'for the test', actor: 'test', requestId: null };
  await revokeByHand(context, { ...by, mappingId: issued?.id ?? '' });
  release();
  expect((await ending).status).toBe(200);
  await until(async () => (await mappingOf(system.bridge, token))?.state === 'revoked');
  const left = durable
    .selectFrom('grants')
    .select('state')
    .where('id', '=', issued?.grant_id ?? '');
  expect(await left.executeTakeFirst()).toEqual({ state: 'dead' });
});
