import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importFile } from '../../src/domain/import/reading/import-file.ts';
import { newHexId, newLegacyToken } from '../../src/shared/ids.ts';
import { ensureAccount } from '../../src/store/accounts/accounts.ts';
import { insertGrant } from '../../src/store/grants/grants.ts';
import { type History, openHistory } from '../domain/support/histories.ts';
import { grantRow } from '../store/support/rows.ts';
import { databaseKinds } from '../store/support/stores.ts';

/** A dry run where known data decides about a row: the grant of a token, or the addresses of an account. */

const APP = 'a'.repeat(24);
const app = { type: 'app', client_id: APP, name: 'An App', owner_email: 'owner@app.example' };

describe.each(databaseKinds)('on %s', (kind) => {
  let place: History;

  beforeAll(async () => {
    place = await openHistory(kind);
    await run(false, app);
  });

  afterAll(() => place.close());

  async function run(isDryRun: boolean, ...rows: object[]) {
    const file = join(place.varDir, 'file');
    writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const request = { file, folder: join(place.varDir, 'imports'), isDryRun };
    const origin = { actor: 'test', requestId: null };
    const done = await importFile(place.context, { ...request, origin, onProgress: () => {} });
    return [done.new, done.known, done.changed, done.refused];
  }

  async function grantOf(accountId: string, changes: object = {}): Promise<string> {
    await ensureAccount(place.db, accountId, 1);
    const id = newHexId();
    await insertGrant(place.db, grantRow(id, { client_id: APP, account_id: accountId, ...changes }));
    return id;
  }

  /** The pair of ids stands first, so it puts the token on its grant before the row of the token comes. */
  async function rowsOf(modern: string): Promise<object[]> {
    const [legacy, access_token] = [newHexId(), newLegacyToken()];
    const token = { type: 'token', access_token, client_id: APP };
    await run(false, { ...token, account_id: legacy });
    const pair = { type: 'account', legacy_id: legacy, modern_id: modern };
    return [pair, { ...token, account_id: legacy, account_email: 'holder@mail.example' }];
  }

  test('a token that the import puts on a live grant is counted as the import counts it', async () => {
    const modern = newHexId();
    await grantOf(modern);
    const rows = await rowsOf(modern);
    const told = await run(true, ...rows);
    expect([told, await run(false, ...rows)]).toEqual([told, told]);
    expect(told).toEqual([1, 1, 0, 0]);
  });

  test('so is one whose grant its app took over', async () => {
    const modern = newHexId();
    const grantId = await grantOf(modern, {
      state: 'dead',
      dead_cause: 'handed_over',
      dead_at: 5,
      created_at: 3,
    });
    const row = { grant_id: grantId, client_id: APP, account_id: modern, version: 1 };
    await place.db
      .insertInto('handovers')
      .values({ ...row, migrated_tokens: 0, handed_at: 5 })
      .execute();
    const rows = await rowsOf(modern);
    const told = await run(true, ...rows);
    expect([told, await run(false, ...rows)]).toEqual([told, told]);
    expect(told).toEqual([1, 1, 0, 0]);
  });

  test('a token that somebody claimed for another app is tried too', async () => {
    const [access_token, client_id, account_id] = [newLegacyToken(), newHexId(), newHexId()];
    const token = { type: 'token', access_token, client_id: APP, account_id };
    await run(false, token, { ...app, client_id });
    await place.db
      .updateTable('mappings')
      .set({ claimed_client_id: client_id, claimed_at: 1 })
      .where('account_id', '=', account_id)
      .execute();
    expect(await run(true, token)).toEqual([0, 1, 0, 0]);
  });

  /** What the dry run tells, and what the import of the same rows then does. */
  async function bothOf(...rows: object[]) {
    const told = await run(true, ...rows);
    return { told, done: await run(false, ...rows) };
  }

  test('an app is judged by the addresses of its known owner', async () => {
    const [client_id, accountId] = [newHexId(), newHexId()];
    await ensureAccount(place.db, accountId, 1);
    await place.db
      .updateTable('accounts')
      .set({ email: 'new@owner.example' })
      .where('account_id', '=', accountId)
      .execute();
    const owned = { type: 'app', client_id, name: 'Owned' };
    await run(false, { ...owned, owner_account_id: accountId, owner_email: 'old@owner.example' });
    const other = { ...owned, owner_email: 'somebody@else.example' };
    expect(await bothOf(other)).toEqual({ told: [0, 0, 0, 1], done: [0, 0, 0, 1] });
    const today = { ...owned, owner_email: 'new@owner.example' };
    expect(await bothOf(today)).toEqual({ told: [0, 1, 0, 0], done: [0, 1, 0, 0] });
  });

  test('a token is judged by the address that a known id pair gives its account', async () => {
    const [access_token, account_id] = [newLegacyToken(), newHexId()];
    const token = { type: 'token', access_token, client_id: APP };
    await run(
      false,
      { type: 'account', legacy_id: newHexId(), modern_id: account_id, email: 'paired@mail.example' },
      { ...token, account_id },
    );
    const other = { ...token, account_email: 'other@mail.example' };
    expect(await bothOf(other)).toEqual({ told: [0, 0, 0, 1], done: [0, 0, 0, 1] });
  });
});
