import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importFile } from '../../src/domain/import/reading/import-file.ts';
import { pinByStaff } from '../../src/domain/support/actions/actions-pin.ts';
import { ASSIGNMENT_LEFT, PIN_LEFT } from '../../src/domain/tokens/left-to-staff.ts';
import { newHexId, newLegacyToken } from '../../src/shared/ids.ts';
import { ensureAccount } from '../../src/store/accounts/accounts.ts';
import { learnPair } from '../../src/store/accounts/id-pairs.ts';
import { insertGrant } from '../../src/store/grants/grants.ts';
import { keyFor, type Program, programOf } from '../staff-api/support/api-client.ts';
import { type ApiGround, openGround, someApp } from '../staff-api/support/ground.ts';
import { unidentifiedApp } from '../staff/support/actions.ts';
import { grantRow } from '../store/support/rows.ts';
import { addWaitingToken, mappingOf } from '../support/bridge/waiting-token.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';

/**
 * What a key of the staff API leaves to the command or to staff, because it may be stolen: tokens of connected accounts,
 * owners of known apps, and pairs that give away what stands under an old id.
 */

interface Told {
  is_written: boolean;
  new: number;
  known: number;
  changed: number;
  refused: number;
  refused_rows: Array<{ row: number; field: string | null; reason: string }>;
}

const newApp = (client_id: string, owner: object) => ({ type: 'app', client_id, name: 'An App', ...owner });
const newToken = (client_id: string, holder: object) => ({
  type: 'token',
  access_token: newLegacyToken(),
  client_id,
  ...holder,
});
const newPair = (legacy_id: string, is: object) => ({ type: 'account', legacy_id, ...is });
const addressOf = (id: string) => `${id}@people.example`;

const HOLDER = 'account_email or account_id';
const OWNER = 'owner_email or owner_account_id';

describe.each(databaseKinds)('on %s', (kind) => {
  let ground: ApiGround;
  let program: Program;
  let actor: string;

  beforeAll(async () => {
    ground = await openGround(kind);
    const { key, id } = await keyFor(ground, 'lead');
    [program, actor] = [programOf(ground, key), `key:${id}`];
  });
  afterAll(() => ground.stop());

  const db = () => ground.bridge.context.store.durable;
  const send = async (rows: readonly object[], more: object = {}) =>
    (await program.post('/import', { rows, ...more })).json as Told;

  /** The dry run, an import that bears no refused row, and the import itself tell the same. */
  const refusedOf = async (rows: readonly object[]) => {
    const told = [await send(rows, { is_dry_run: true }), await send(rows, { max_refused: 0 })];
    expect(told.map((one) => one.is_written)).toEqual([false, false]);
    const { is_written: _done, ...done } = await send(rows);
    for (const { is_written: _tried, ...tried } of told) expect(tried).toEqual(done);
    expect(done.refused_rows.filter(({ reason }) => !reason.includes('the command tokens import'))).toEqual(
      [],
    );
    return done.refused_rows.map(({ row, field }) => [row, field]);
  };

  const byCommand = async (...rows: object[]) => {
    const { context } = ground.bridge;
    const file = join(context.settings.importFolder, '..', `${newHexId()}.ndjson`);
    writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const request = { file, folder: context.settings.importFolder, isDryRun: false };
    const origin = { actor: 'command', requestId: null };
    const done = await importFile(context, { ...request, origin, onProgress: () => {} });
    return [done.new, done.known, done.changed, done.refused];
  };

  const ownerOf = async (clientId: string) => {
    const apps = db().selectFrom('apps').select(['owner_account_id', 'owner_email']);
    return Object.values(await apps.where('client_id', '=', clientId).executeTakeFirstOrThrow());
  };
  const standing = async ({ access_token }: { access_token: string }) => {
    const mapping = await mappingOf(ground.bridge, access_token);
    return mapping && [mapping.account_id, mapping.state];
  };

  test('row K11 a token comes to no connection by a key, neither as new nor by its account', async () => {
    const { clientId } = ground.app;
    const { account_id } = (await mappingOf(ground.bridge, ground.connected.token)) ?? {};
    const [email, moved, elsewhere] = [addressOf(newHexId()), newHexId(), newHexId()];
    await ensureAccount(db(), moved, 1);
    const dead = { state: 'dead', dead_cause: 'handed_over', dead_at: 5, created_at: 3 } as const;
    await insertGrant(db(), grantRow(newHexId(), { client_id: clientId, account_id: moved, ...dead }));
    const person = db()
      .updateTable('accounts')
      .set({ email })
      .where('account_id', '=', account_id ?? '');
    await person.execute();

    const waiting = newToken(clientId, { account_email: email });
    expect(await send([waiting])).toMatchObject({ new: 1 });
    const own = newToken(clientId, { account_id });
    const rows = [
      own,
      { ...waiting, account_id },
      newToken(clientId, { account_id: moved }),
      { ...own, access_token: ground.connected.token },
    ];
    expect(await refusedOf(rows)).toEqual([
      [0, HOLDER],
      [1, HOLDER],
      [2, HOLDER],
    ]);
    expect([await standing(own), await standing(waiting)]).toEqual([undefined, [null, 'unmapped']]);
    const unconnected = newToken(clientId, { account_id: elsewhere });
    expect(await send([unconnected])).toMatchObject({ new: 1, refused: 0 });
    expect(await standing(unconnected)).toEqual([elsewhere, 'unmapped']);

    expect(await byCommand(own, { ...waiting, account_id })).toEqual([1, 0, 1, 0]);
    expect([await standing(own), await standing(waiting)]).toEqual([
      [account_id, 'active'],
      [account_id, 'active'],
    ]);
  });

  test('row K12 a known app gets no owner by a key, and a new one has the owner of its row', async () => {
    const [waits, nobodys, me] = [newHexId(), newHexId(), newHexId()];
    const owner_email = addressOf(waits);
    const named = newApp(waits, { owner_email });
    expect(await send([named])).toMatchObject({ new: 1 });
    await byCommand(newApp(nobodys, { owner_email: addressOf(nobodys) }));
    await db().updateTable('apps').set({ owner_email: null }).where('client_id', '=', nobodys).execute();

    const rows = [
      { ...named, owner_account_id: me },
      newApp(nobodys, { owner_email: addressOf(me) }),
      newApp(nobodys, { owner_account_id: me }),
      named,
    ];
    expect(await refusedOf(rows)).toEqual([
      [0, OWNER],
      [1, OWNER],
      [2, OWNER],
    ]);
    expect([await ownerOf(waits), await ownerOf(nobodys)]).toEqual([
      [null, owner_email],
      [null, null],
    ]);
    const secret = { ...named, client_secret: `a-secret-${waits}` };
    expect(await send([secret])).toMatchObject({ changed: 1, refused: 0 });
    expect(await byCommand({ ...named, owner_account_id: me })).toEqual([0, 0, 1, 0]);
    expect(await ownerOf(waits)).toEqual([me, owner_email]);
  });

  test('row K13 a pair gives nothing away by a key, whether it is new, known or changed', async () => {
    const [app, clientId, seen, modern] = [newHexId(), ground.app.clientId, newHexId(), newHexId()];
    const [ofApp, ofToken, ofKnown] = [newHexId(), newHexId(), newHexId()];
    const token = newToken(clientId, { account_id: ofToken });
    const later = newToken(clientId, { account_id: ofKnown });
    expect(await send([newApp(app, { owner_account_id: ofApp }), token, later])).toMatchObject({ new: 3 });
    await ground.bridge.context.store.transaction((tx) =>
      learnPair(tx, { kind: 'account', legacyId: ofKnown, modernId: seen }, 1),
    );

    const rows = [
      newPair(ofApp, { modern_id: modern }),
      newPair(ofApp, { email: addressOf(modern) }),
      newPair(ofToken, { email: addressOf(modern) }),
      newPair(ofKnown, { modern_id: seen }),
      { ...newPair(ofApp, { modern_id: newHexId() }), type: 'profile' },
    ];
    const held = [0, 1, 2, 3].map((row) => [row, 'legacy_id']);
    expect(await refusedOf(rows)).toEqual(held);
    // A pair of the same new id is refused, and what stands under the known pair stays there too.
    expect(await send([newPair(newHexId(), { modern_id: seen })])).toMatchObject({ refused: 1 });
    expect([await ownerOf(app), await standing(token), await standing(later)]).toEqual([
      [ofApp, null],
      [ofToken, 'unmapped'],
      [ofKnown, 'unmapped'],
    ]);

    expect(await byCommand(...rows.slice(0, 1), ...rows.slice(2, 4))).toEqual([2, 1, 0, 0]);
    expect([await ownerOf(app), await standing(token), await standing(later)]).toEqual([
      [modern, null],
      [null, 'unmapped'],
      [seen, 'unmapped'],
    ]);
  });

  test('pairs, their apps and their tokens come in one piece in any order, and again change nothing', async () => {
    const [app, ofApp, ofToken, modern] = [newHexId(), newHexId(), newHexId(), newHexId()];
    const between = Array.from({ length: 300 }, () => ({
      ...newPair(newHexId(), { modern_id: newHexId() }),
      type: 'profile',
    }));
    const rows = [
      newApp(app, { owner_account_id: ofApp }),
      newToken(app, { account_id: ofToken }),
      newToken(app, { account_id: ofApp }),
      ...between,
      newPair(ofApp, { modern_id: modern }),
      newPair(ofToken, { email: addressOf(modern) }),
    ];
    expect(await send(rows, { max_refused: 0 })).toMatchObject({ is_written: true, new: 305, refused: 0 });
    expect(await send(rows)).toMatchObject({ new: 0, known: 305, changed: 0, refused: 0 });
    expect(await ownerOf(app)).toEqual([modern, null]);
  });

  const idOf = async ({ access_token }: { access_token: string }) =>
    (await mappingOf(ground.bridge, access_token))?.id ?? '';
  const historyOf = async (id: string) => {
    const entries = db().selectFrom('events').select(['action', 'actor']).where('mapping_id', '=', id);
    return (await entries.orderBy('id').execute()).map((entry) => [entry.action, entry.actor]);
  };

  test('row K14 no key pins a token that a key imported to a connection, and staff can', async () => {
    const { account_id = '' } = (await mappingOf(ground.bridge, ground.connected.token)) ?? {};
    const [email, ofOther] = [addressOf(newHexId()), addressOf(newHexId())];
    const token = newToken(ground.app.clientId, { account_email: email });
    const elsewhere = newToken(await someApp(ground), { account_email: ofOther });
    expect(await send([token, elsewhere])).toMatchObject({ new: 2 });
    const [id, otherId] = [await idOf(token), await idOf(elsewhere)];
    const pin = { account_id, reason: 'ticket 4711' };
    const refused = await program.post(`/tokens/${id}/pin`, { ...pin, email });
    expect([refused.status, refused.json]).toEqual([409, expect.objectContaining({ detail: PIN_LEFT })]);
    expect([await standing(token), await historyOf(id)]).toEqual([
      [null, 'unmapped'],
      [['token_imported', actor]],
    ]);

    const byKey = await program.post(`/tokens/${otherId}/pin`, { ...pin, email: ofOther });
    expect([byKey.status, await standing(elsewhere)]).toEqual([200, [account_id, 'unmapped']]);
    const byStaff = { mappingId: id, email, accountId: account_id ?? '', reason: pin.reason };
    const done = await pinByStaff(ground.bridge.context, { ...byStaff, actor: 'staff', requestId: null });
    expect([done, await standing(token)]).toEqual([
      { outcome: 'pinned', hasMoved: false },
      [account_id, 'active'],
    ]);
  });

  test('row K14 no key assigns a token that a key imported to a connection', async () => {
    const { account_id = '' } = (await mappingOf(ground.bridge, ground.connected.token)) ?? {};
    const token = newToken(await unidentifiedApp(ground), { account_id });
    const seen = await addWaitingToken(ground.bridge, {
      clientId: await unidentifiedApp(ground),
      accountId: account_id ?? '',
      source: 'observed',
    });
    expect(await send([token])).toMatchObject({ new: 1 });
    const id = await idOf(token);
    const assign = { client_id: ground.app.clientId, reason: 'ticket 4711' };
    const refused = await program.post(`/tokens/${id}/assign`, assign);
    expect([refused.status, refused.json]).toEqual([
      409,
      expect.objectContaining({ detail: ASSIGNMENT_LEFT }),
    ]);
    expect([await standing(token), await historyOf(id)]).toEqual([
      [account_id, 'unmapped'],
      [['token_imported', actor]],
    ]);
    const observed = await program.post(`/tokens/${seen.mappingId}/assign`, assign);
    expect([observed.status, await standing({ access_token: seen.token })]).toEqual([
      200,
      [account_id, 'active'],
    ]);
  });
});
