import { newHexId } from '../../../src/shared/ids.ts';
import { authorizeIn, issueToken, read } from '../../support/callers/legacy-calls.ts';
import type { OldAccount } from '../../support/servers/old-backend.ts';
import { addWaitingToken } from '../../support/bridge/waiting-token.ts';
import { system, withOldApi } from '../support/old-api.ts';

/**
 * Two accounts may share an old profile, and each has it at the new API as a channel of its own (docs/decisions/0016). The other
 * account came first, so the pair is its.
 */

interface Profile {
  id: string;
  user_id: string;
  service: string;
  service_id: string;
}

const account: OldAccount = { tokens: [], user: { id: newHexId() }, profiles: [] };

withOldApi(account);

const profilesOf = async (token: string) => (await read(system, '/1/profiles.json', token)).json as Profile[];

test('an app keeps the old id of a profile that another account shared, and reaches its own channel by it', async () => {
  const modern = await profilesOf(await issueToken(system));
  const shared = modern.map(({ service, service_id }) => ({ id: newHexId(), service, service_id }));
  account.profiles = shared;
  const { durable } = system.bridge.context.store;
  const pair = { kind: 'profile', source: 'learned', created_at: 1 } as const;
  const pairs = shared.map(({ id }) => ({ ...pair, legacy_id: id, modern_id: newHexId() }));
  await durable.insertInto('id_pairs').values(pairs).execute();

  const app = await system.registerApp('https://team.example/callback');
  const { token } = await addWaitingToken(system.bridge, {
    clientId: app.clientId,
    accountId: modern[0]?.user_id ?? '',
  });
  account.tokens.push(token);
  await authorizeIn(system, { app });
  expect((await profilesOf(token)).map(({ id }) => id)).toEqual(shared.map(({ id }) => id));
  for (const { id } of shared.slice(0, 2))
    expect((await read(system, `/1/profiles/${id}.json`, token)).json).toMatchObject({ id });
  const kept = await durable
    .selectFrom('id_pairs')
    .select(['legacy_id', 'modern_id'])
    .where('kind', '=', 'profile')
    .execute();
  expect(new Set(kept.map(({ modern_id }) => modern_id))).toEqual(
    new Set(pairs.map(({ modern_id }) => modern_id)),
  );
});

test('an old id that stands for another channel of the same account is not told of a second one', async () => {
  const modern = await profilesOf(await issueToken(system));
  const [first, second] = modern;
  if (!first || !second) throw new Error('the account has too few channels');
  const shared = { id: newHexId(), service: second.service, service_id: second.service_id };
  account.profiles = [shared];
  const { durable } = system.bridge.context.store;
  await durable.deleteFrom('id_pairs').execute();
  const pair = { kind: 'profile', source: 'imported', created_at: 1 } as const;
  await durable
    .insertInto('id_pairs')
    .values({ ...pair, legacy_id: shared.id, modern_id: first.id })
    .execute();

  const app = await system.registerApp('https://moved.example/callback');
  const accountId = first.user_id;
  const { token } = await addWaitingToken(system.bridge, { clientId: app.clientId, accountId });
  account.tokens.push(token);
  await authorizeIn(system, { app });
  const told = (await profilesOf(token)).map(({ id }) => id);
  expect(told).toEqual([shared.id, ...modern.slice(1).map(({ id }) => id)]);
});
