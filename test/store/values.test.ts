import { findAnswer, storeAnswer } from '../../src/store/grants/answers.ts';
import { listApps } from '../../src/store/apps/apps.ts';
import { insertEvents } from '../../src/store/history/events.ts';
import { findGrant, insertGrant } from '../../src/store/grants/grants.ts';
import { findCode, insertCode } from '../../src/store/authorization/legacy-codes.ts';
import { findMapping, insertMapping, moveMappings } from '../../src/store/tokens/mappings.ts';
import { ACCOUNT, APP, codeRow, grantRow, keepAppAndAccount } from './support/rows.ts';
import { databaseKinds, openTwoStores, type TwoStores } from './support/stores.ts';

/** A value comes back as it went in, of the same type from both databases. */

/** Beyond 32 bits, as all times are. */
const TIME = 1_790_000_000_123;

describe.each(databaseKinds)('on %s', (kind) => {
  let stores: TwoStores;
  const db = () => stores.one.durable;

  beforeAll(async () => {
    stores = await openTwoStores(kind);
    await keepAppAndAccount(db());
    await insertGrant(db(), grantRow('g1', { created_at: TIME, access_expires_at: TIME + 1 }));
    await insertMapping(db(), {
      id: 'm1',
      token_digest: 'digest',
      client_id: APP,
      account_id: ACCOUNT,
      grant_id: 'g1',
      state: 'active',
      source: 'issued',
      created_at: TIME,
      updated_at: TIME,
    });
  });

  afterAll(() => stores.close());

  test('times are numbers, whole ones, from a query and from a prepared statement', async () => {
    const grant = await findGrant(db(), 'g1');
    expect(grant).toMatchObject({ created_at: TIME, access_expires_at: TIME + 1, retry_at: 0, version: 1 });
    expect(grant?.presented_at).toBeNull();
    expect(await findMapping(stores.one, ['unknown', 'digest'])).toMatchObject({
      id: 'm1',
      created_at: TIME,
    });
  });

  test('flags are 0 or 1, never true or text', async () => {
    await insertCode(db(), codeRow);
    await insertCode(db(), { ...codeRow, code_digest: 'd', redirect_uri_given: 0 });
    const codes = await Promise.all([findCode(db(), ['c']), findCode(db(), ['d'])]);
    expect(codes.map((code) => code?.redirect_uri_given)).toEqual([1, 0]);
  });

  test('counts are numbers, also the count of a subquery', async () => {
    expect(await listApps(db())).toMatchObject([{ client_id: APP, tokens: 1 }]);
  });

  test('the history numbers its entries itself, in numbers', async () => {
    await insertEvents(
      db(),
      ['first', 'second'].map((action) => ({ at: TIME, actor: 'test', action })),
    );
    const events = await db().selectFrom('events').selectAll().orderBy('id').execute();
    expect(events).toMatchObject([
      { id: 1, at: TIME, action: 'first' },
      { id: 2, at: TIME, action: 'second' },
    ]);
  });

  test('an update says how many rows it changed, by their ids', async () => {
    const move = { from: ['active'], to: 'active', reason: null, now: TIME } as const;
    const pair = { clientId: APP, accountId: ACCOUNT };
    expect(await moveMappings(db(), pair, move)).toEqual(['m1']);
    expect(await moveMappings(db(), pair, { ...move, from: ['revoked'] })).toEqual([]);
  });

  test('a text with a NUL equals nothing that is kept, and is no failure', async () => {
    expect(await findMapping(stores.one, ['digest\0', '\0'])).toBeUndefined();
    expect(await findGrant(db(), 'g1\0')).toBeUndefined();
    expect(await findCode(db(), ['\0c', 'c\0'])).toBeUndefined();
  });

  test('an answer with a NUL, signs beyond 16 bits and backslashes can be kept and served again', async () => {
    const body = JSON.stringify({ name: 'a \0 b \u{1F600} \\u0000 \\x' });
    const answer = { body, organization_ids: '[]', fetched_at: TIME };
    await storeAnswer(stores.one, 'g1', answer);
    await storeAnswer(stores.two, 'g1', { ...answer, fetched_at: TIME + 1 });
    expect(await findAnswer(stores.one, 'g1')).toEqual({ ...answer, fetched_at: TIME + 1 });
  });

  test('an event whose reason holds a raw NUL is kept', async () => {
    await insertEvents(db(), [{ at: TIME, actor: 'test', action: 'nul', reason: 'a\0b' }]);
    const [event] = await db().selectFrom('events').select('reason').where('action', '=', 'nul').execute();
    expect(event?.reason).toMatch(/^a.b$/su);
  });

  test('the clock of the database tells milliseconds as a number', async () => {
    const before = Date.now();
    const now = await stores.one.now();
    expect(now).toBeGreaterThanOrEqual(before - 1);
    expect(now).toBeLessThanOrEqual(Date.now() + 1);
  });
});
