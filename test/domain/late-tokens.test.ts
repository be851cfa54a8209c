import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createDeferredTokenLookup, type KnownToken } from '../../src/domain/usage/deferred-token-lookup.ts';
import { newHexId, newLegacyToken } from '../../src/shared/ids.ts';
import { createLogger, type Logger } from '../../src/shared/log/logger.ts';
import { createVault } from '../../src/shared/secrets.ts';
import { insertMapping } from '../../src/store/tokens/mappings.ts';
import type { Store } from '../../src/store/driver/store.ts';
import { ACCOUNT, APP, keepAppAndAccount } from '../store/support/rows.ts';
import { databaseKinds, openTwoStores, type TwoStores } from '../store/support/stores.ts';
import { until } from '../support/servers/held-answer.ts';
import { logLines } from '../support/bridge/log-lines.ts';
import { openStoreBreaker, type StoreBreaker } from '../support/database/store-breaker.ts';

/** Whose tokens came with calls that were answered without a look at them. */

const key = { id: 'k', secret: randomBytes(32) };
const ring = { active: key, all: [key] };
const vault = createVault(() => ({ digest: ring, sealing: ring, session: ring, history: ring }));

/** A token that waits. */
async function keepToken({ durable }: Store): Promise<string> {
  const token = newLegacyToken();
  await keepAppAndAccount(durable);
  await insertMapping(durable, {
    id: newHexId(),
    token_digest: vault.digest(token),
    client_id: APP,
    account_id: ACCOUNT,
    state: 'unmapped',
    source: 'imported',
    created_at: 0,
    updated_at: 0,
  });
  return token;
}

describe.each(databaseKinds)('on %s', (kind) => {
  let stores: TwoStores;
  let breaker: StoreBreaker;
  let log: () => string[];
  let logger: Logger;

  beforeAll(async () => {
    stores = await openTwoStores(kind);
    breaker = await openStoreBreaker(stores.location);
  });
  afterAll(async () => {
    await breaker.close();
    await stores.close();
  });

  beforeEach(() => {
    const { stream, lines } = logLines();
    log = lines;
    logger = createLogger({ level: 'warn', name: 'test', stream });
  });

  test('tokens are told of in one look for all; too many of one turn, or with the database away, are let go', async () => {
    const late = createDeferredTokenLookup({ store: stores.one, vault, logger });
    const known = await keepToken(stores.one);
    const told: string[] = [];
    const tell = ({ client_id: clientId }: KnownToken) => void told.push(clientId);
    for (let n = 0; n < 98; n += 1) late.lookUp(newLegacyToken(), tell);
    late.lookUp(known, tell);
    expect(late.hasRoom()).toBe(true);
    late.lookUp(newLegacyToken(), tell);
    expect(late.hasRoom()).toBe(false);
    late.lookUp(await keepToken(stores.one), tell);
    for (let n = 0; n < 2000; n += 1) late.lookUp(known, tell);
    // Once for a flood, however many calls it has.
    expect(log()).toEqual([expect.stringContaining('calls that were refused unread are not counted')]);
    await until(() => late.hasRoom());
    await until(() => told.length > 0);
    expect(told).toEqual(Array.from({ length: 901 }, () => APP));
    for (let n = 0; n < 1000; n += 1) late.lookUp(known, tell);
    expect(late.hasRoom()).toBe(false);
    await until(() => told.length === 1901);
    expect(log()).toHaveLength(1);
    await breaker.whileMissing('mappings', async () => {
      late.lookUp(known, tell);
      await until(() => log().length > 1);
    });
    expect(log()[1]).toContain('calls that were refused unread are not measured');
    await until(() => {
      late.lookUp(known, tell);
      return told.length > 1901;
    });
    await late.close();
    const closed = told.length;
    late.lookUp(known, tell);
    expect([late.hasRoom(), told.length]).toEqual([false, closed]);
  });

  test('nothing of a call is held once its token was looked for', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const late = createDeferredTokenLookup({ store: stores.one, vault, logger });
    const lookUp = () => {
      const token = newLegacyToken();
      const tell = () => expect(token).toBe('');
      late.lookUp(token, tell);
      return new WeakRef(tell);
    };
    const held = lookUp();
    await until(() => {
      collect();
      return held.deref() === undefined;
    });
    await late.close();
  });
});
