import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  recoverSpilledPair,
  recoverSpilledPairs,
} from '../../src/domain/grants/refresh/store-rotated-pair.ts';
import type { GrantVersion } from '../../src/store/tables/tables.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { until } from '../support/servers/held-answer.ts';

/**
 * A copy has the grants of its original. Started in the original's VAR_DIR, the copy must not take the pairs that the
 * original spilled: no other copy of them exists.
 */

let system: System;

beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system.stop());

/** A pair of a grant in the spill, as a bridge leaves it whose database did not answer. */
async function spillPair(): Promise<GrantVersion> {
  const { store, spill } = system.bridge.context;
  await issueToken(system);
  const grant = await store.durable.selectFrom('grants').selectAll().executeTakeFirstOrThrow();
  const presented = { id: grant.id, version: grant.version - 1 };
  await spill.write({
    grantId: presented.id,
    version: presented.version,
    pair: {
      accessTokenSealed: grant.access_token_sealed ?? '',
      refreshTokenSealed: grant.refresh_token_sealed ?? '',
      scope: grant.scope,
      accessExpiresAt: grant.access_expires_at,
      refreshAt: grant.refresh_at,
    },
  });
  return presented;
}

test('a pair in the VAR_DIR of another database stays there, and is taken back once VAR_DIR is of this one', async () => {
  const { context } = system.bridge;
  const presented = await spillPair();
  const folder = dirname(context.anchorsFile);
  const memory = join(folder, 'epoch.json');
  const own = readFileSync(memory, 'utf8');
  // The database of the other one is there, so the bridge leaves the memory to it.
  writeFileSync(join(folder, 'production.db'), '');
  writeFileSync(memory, JSON.stringify({ ...JSON.parse(own), database: 'sqlite:production.db' }));
  await recoverSpilledPairs(context);
  await expect(recoverSpilledPair(context, presented)).rejects.toThrow('for another database');
  expect((await context.spill.list()).entries).toMatchObject([{ grantId: presented.id }]);

  writeFileSync(memory, own);
  await until(async () => {
    await recoverSpilledPairs(context);
    return (await context.spill.list()).entries.length === 0;
  });
});
