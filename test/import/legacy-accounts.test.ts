import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importFile } from '../../src/domain/import/reading/import-file.ts';
import { pinByHand } from '../../src/domain/accounts/pin-by-hand.ts';
import { registerApp } from '../../src/domain/apps/register-app.ts';
import { newHexId, newLegacyToken } from '../../src/shared/ids.ts';
import { ensureAccount, upsertAccount } from '../../src/store/accounts/accounts.ts';
import { insertGrant } from '../../src/store/grants/grants.ts';
import { learnPair } from '../../src/store/accounts/id-pairs.ts';
import { insertMapping } from '../../src/store/tokens/mappings.ts';
import type { Mapping, NewMapping } from '../../src/store/tables/tables.ts';
import { type History, openHistory } from '../domain/support/histories.ts';
import { grantRow } from '../store/support/rows.ts';
import { databaseKinds } from '../store/support/stores.ts';

/** Whose apps and tokens are that were imported or seen before it was known whose id of the older generation is whose. */

const APP = 'a'.repeat(24);
const BY_TEST = { actor: 'test', requestId: null };

const appRow = { type: 'app', client_id: APP, name: 'An App', owner_email: 'owner@app.example' };

/** An account with an id of each generation and an address, and a token of it, like no other one. */
function someone() {
  const [legacy, modern] = [newHexId(), newHexId()];
  const email = `${modern}@mail.example`;
  const value = newLegacyToken();
  const token = (owner: object) => ({ type: 'token', access_token: value, client_id: APP, ...owner });
  const pair = (is: object) => ({ type: 'account', legacy_id: legacy, ...is });
  return { legacy, modern, email, value, token, pair };
}

type Someone = ReturnType<typeof someone>;

const ownedBy = (client_id: string, owner_account_id: string) => ({
  type: 'app',
  client_id,
  name: 'Mine',
  owner_account_id,
});

describe.each(databaseKinds)('on %s', (kind) => {
  let place: History;

  const importRows = async (rows: object[], isDryRun: boolean) => {
    const file = join(place.varDir, 'file');
    writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const request = { file, folder: join(place.varDir, 'imports'), isDryRun, origin: BY_TEST };
    const done = await importFile(place.context, { ...request, onProgress: () => {} });
    return [done.new, done.known, done.changed, done.refused];
  };
  const take = (...rows: object[]) => importRows(rows, false);
  const wouldTake = (...rows: object[]) => importRows(rows, true);

  beforeAll(async () => {
    place = await openHistory(kind);
    await take(appRow);
  });

  afterAll(() => place.close());

  const mappingOf = ({ value }: Pick<Someone, 'value'>): Promise<Mapping> =>
    place.db
      .selectFrom('mappings')
      .selectAll()
      .where('token_digest', '=', place.context.vault.digest(value))
      .executeTakeFirstOrThrow();
  const ownerOf = async (one: Pick<Someone, 'value'>) => {
    const { account_id, account_email } = await mappingOf(one);
    return [account_id, account_email];
  };
  const saidOf = async (one: Pick<Someone, 'value'>) => {
    const { id } = await mappingOf(one);
    const rows = await place.db.selectFrom('events').selectAll().where('mapping_id', '=', id).execute();
    return rows.map(({ action, reason }) => `${action}: ${reason}`);
  };
  const learn = ({ legacy, modern }: Someone) =>
    place.context.store.transaction((tx) =>
      learnPair(tx, { kind: 'account', legacyId: legacy, modernId: modern }, 1),
    );
  const pin = ({ email, modern }: Someone) =>
    pinByHand(place.context, { email, accountId: modern, how: 'a test', ...BY_TEST });
  const grant = async (accountId: string, changes = {}) => {
    await ensureAccount(place.db, accountId, 1);
    const id = newHexId();
    await insertGrant(place.db, grantRow(id, { client_id: APP, account_id: accountId, ...changes }));
    return id;
  };
  /** A token that was seen in use, of the user of the old backend with that legacy id; support said which app it is. */
  const observe = async ({ value, legacy }: Someone) => {
    const row: NewMapping = {
      id: newHexId(),
      token_digest: place.context.vault.digest(value),
      client_id: APP,
      legacy_account_id: legacy,
      state: 'unmapped',
      source: 'observed',
      app_proven: 1,
      created_at: 1,
      updated_at: 1,
    };
    await insertMapping(place.db, row);
  };

  test('a pair that was known before its row came moves what was imported under the legacy id', async () => {
    const one = someone();
    const token = one.token({ account_id: one.legacy });
    const owned = { ...appRow, client_id: newHexId(), owner_email: null, owner_account_id: one.legacy };
    const grantId = await grant(one.modern);
    await take(owned, token);
    await learn(one);
    expect(await wouldTake(one.pair({ modern_id: one.modern }), token)).toEqual([0, 2, 0, 0]);
    expect(await take(one.pair({ modern_id: one.modern }))).toEqual([0, 1, 0, 0]);
    expect(await mappingOf(one)).toMatchObject({
      account_id: one.modern,
      grant_id: grantId,
      state: 'active',
    });
    const owners = place.db.selectFrom('apps').select('owner_account_id');
    expect(await owners.where('client_id', '=', owned.client_id).execute()).toEqual([
      { owner_account_id: one.modern },
    ]);
    const said = await saidOf(one);
    expect(await take(token, one.pair({ modern_id: one.modern }), owned)).toEqual([0, 3, 0, 0]);
    expect(await saidOf(one)).toEqual(said);
  });

  test('a legacy id with an address alone waits for that address, and is pinned with it', async () => {
    const one = someone();
    const token = one.token({ account_id: one.legacy });
    await take(token);
    const byMail = one.pair({ email: one.email });
    expect(await take(byMail)).toEqual([1, 0, 0, 0]);
    expect(await ownerOf(one)).toEqual([null, one.email]);
    expect(await take(token, byMail)).toEqual([0, 2, 0, 0]);
    expect(await pin(one)).toMatchObject({ tokens: 1 });
    expect(await take(token, byMail, one.pair({ modern_id: one.modern }))).toEqual([0, 3, 0, 0]);
    expect((await ownerOf(one))[0]).toBe(one.modern);
  });

  test('in whatever order a token, an address and a modern id come, a repetition changes nothing', async () => {
    for (const order of ['tem', 'tme', 'etm', 'emt', 'mte', 'met', 'btem', 'betm', 'bemt', 'ebtm', 'ebmt']) {
      const one = someone();
      const rows: Record<string, object> = {
        b: one.token({ account_email: one.email }),
        t: one.token({ account_id: one.legacy }),
        e: one.pair({ email: one.email }),
        m: one.pair({ modern_id: one.modern }),
      };
      for (const name of order) await take(rows[name]!);
      expect([order, (await ownerOf(one))[0]]).toEqual([order, one.modern]);
      const said = await saidOf(one);
      expect(await take(...order.split('').map((name) => rows[name]!))).toEqual([0, order.length, 0, 0]);
      expect(await saidOf(one)).toEqual(said);
    }
  });

  test('a token that is known by its address alone keeps the old id of a later row', async () => {
    const [one, two] = [someone(), someone()];
    await take(...[one, two].map(({ pair, email }) => pair({ email })));
    await take(one.token({ account_email: one.email }));
    const byId = one.token({ account_id: one.legacy });
    for (const run of [wouldTake, take]) expect(await run(byId, byId)).toEqual([0, 1, 1, 0]);
    expect((await saidOf(one)).at(-1)).toBe('token_changed: import: old account id');
    const inOne = [two.token({ account_email: two.email }), two.token({ account_id: two.legacy })];
    expect(await take(...inOne)).toEqual([1, 0, 1, 0]);
    await take(...[one, two].map(({ pair, modern }) => pair({ modern_id: modern })));
    expect([(await ownerOf(one))[0], (await ownerOf(two))[0]]).toEqual([one.modern, two.modern]);
  });

  test('pinning an address takes along what waits under its legacy id with another one', async () => {
    const one = someone();
    await take(one.token({ account_id: one.legacy, account_email: `old-${one.email}` }));
    await take(one.pair({ email: one.email }));
    expect((await ownerOf(one))[0]).toBeNull();
    expect(await pin(one)).toMatchObject({ tokens: 1 });
    expect((await ownerOf(one))[0]).toBe(one.modern);
  });

  test('what belongs to an account that was seen at the modern side stays there', async () => {
    const [one, two] = [someone(), someone()];
    for (const { legacy } of [one, two])
      await upsertAccount(place.db, { account_id: legacy, email: `${legacy}@mail.example`, updated_at: 1 });
    await take(one.token({ account_id: one.legacy }), two.token({ account_id: two.legacy }));
    await take(one.pair({ modern_id: one.modern }), two.pair({ email: two.email }));
    expect([await ownerOf(one), await ownerOf(two)]).toEqual([
      [one.legacy, null],
      [two.legacy, null],
    ]);
    expect(await take(two.token({ account_id: two.legacy }))).toEqual([0, 1, 0, 0]);
  });

  test('a token that was seen before the pair came gets its account, and the grant of its app', async () => {
    const [imported, pinned] = [someone(), someone()];
    await Promise.all([observe(imported), observe(pinned)]);
    const grantId = await grant(imported.modern);
    await take(imported.pair({ modern_id: imported.modern }), pinned.pair({ email: pinned.email }));
    expect(await mappingOf(imported)).toMatchObject({ account_id: imported.modern, grant_id: grantId });
    expect(await saidOf(imported)).toEqual([
      'account_pinned: an id pair',
      'token_connected: a grant serves the pair',
    ]);
    expect(await ownerOf(pinned)).toEqual([null, pinned.email]);
    expect(await pin(pinned)).toMatchObject({ tokens: 1 });
    expect((await ownerOf(pinned))[0]).toBe(pinned.modern);
  });

  test('an owner id that an import adds to a registered app gives its own token its account', async () => {
    const [one, two] = [someone(), someone()];
    const registered = await Promise.all(
      [one, two].map(async ({ email }) => {
        const made = await registerApp(place.context, {
          name: 'Mine',
          callbacks: ['https://mine.example/'],
          owner: email,
          ...BY_TEST,
        });
        return { client_id: made!.clientId, value: made!.ownerToken };
      }),
    );
    const [mine, theirs] = [registered[0]!, registered[1]!];
    const grantId = await grant(one.modern, { client_id: mine.client_id });
    await take(ownedBy(mine.client_id, one.modern), ownedBy(theirs.client_id, two.legacy));
    expect(await mappingOf(mine)).toMatchObject({ account_id: one.modern, grant_id: grantId });
    expect(await saidOf(mine)).toContain('account_pinned: the owner of the app');
    expect((await mappingOf(theirs)).account_id).toBe(two.legacy);
    await take(two.pair({ modern_id: two.modern }));
    expect((await mappingOf(theirs)).account_id).toBe(two.modern);
  });

  test('a token with two owners is refused where the address of the id is known, in either order', async () => {
    for (const isByPair of [true, false]) {
      for (const isIdFirst of [true, false]) {
        const one = someone();
        if (isByPair) await take(one.pair({ modern_id: one.modern, email: one.email }));
        else await upsertAccount(place.db, { account_id: one.modern, email: one.email, updated_at: 1 });
        const byId = one.token({ account_id: one.modern });
        const byMail = one.token({ account_email: 'thief@mail.example' });
        const rows = isIdFirst ? [byId, byMail] : [byMail, byId];
        if (isIdFirst) expect(await wouldTake(...rows)).toEqual([1, 0, 0, 1]);
        const inOne = [isByPair, isIdFirst, await take(...rows)];
        expect(inOne).toEqual([isByPair, isIdFirst, [1, 0, 0, 1]]);
        expect(await take(...rows)).toEqual([0, 1, 0, 1]);
        expect(await ownerOf(one)).toEqual(isIdFirst ? [one.modern, null] : [null, 'thief@mail.example']);
      }
    }
  });

  test('an address that is that of the id, or of which nothing is known, gives way to it in either order', async () => {
    for (const isKnown of [true, false]) {
      for (const isIdFirst of [true, false]) {
        const one = someone();
        const account = { account_id: one.modern, email: one.email.toUpperCase(), updated_at: 1 };
        if (isKnown) await upsertAccount(place.db, account);
        const rows = [one.token({ account_id: one.modern }), one.token({ account_email: one.email })];
        const [, , , refused] = await take(...(isIdFirst ? rows : rows.toReversed()));
        expect([isKnown, isIdFirst, refused, ...(await ownerOf(one))]).toEqual([
          isKnown,
          isIdFirst,
          0,
          one.modern,
          null,
        ]);
        expect(await take(...rows)).toEqual([0, 2, 0, 0]);
      }
    }
  });

  test('a token that comes after its app took the grant over has moved with the others', async () => {
    const [gone, back] = [someone(), someone()];
    const handOver = async (accountId: string) => {
      const dead = { state: 'dead', dead_cause: 'handed_over', dead_at: 5, created_at: 3 } as const;
      const grantId = await grant(accountId, dead);
      const row = { grant_id: grantId, client_id: APP, account_id: accountId, version: 1 };
      await place.db
        .insertInto('handovers')
        .values({ ...row, migrated_tokens: 0, handed_at: 5 })
        .execute();
      return grantId;
    };
    const grantId = await handOver(gone.modern);
    await handOver(back.modern);
    await grant(back.modern, { state: 'dead', dead_cause: 'refused', dead_at: 9, created_at: 8 });
    await take(gone.token({ account_id: gone.modern }), back.token({ account_id: back.modern }));
    expect(await mappingOf(gone)).toMatchObject({ state: 'migrated', reason: 'handed_over' });
    expect(await saidOf(gone)).toEqual([
      'token_imported: import',
      'token_migrated: the app took the grant over',
    ]);
    const entries = place.db.selectFrom('events').selectAll().where('action', '=', 'token_migrated');
    expect(await entries.execute()).toMatchObject([{ grant_id: grantId, account_id: gone.modern }]);
    // A later consent, though it has ended, asked for the bridge again.
    expect(await mappingOf(back)).toMatchObject({ state: 'unmapped' });
    const seen = { ...someone(), modern: gone.modern };
    await observe(seen);
    await take(seen.pair({ email: seen.email }));
    await pin(seen);
    expect(await mappingOf(seen)).toMatchObject({ state: 'migrated' });
  });
});
