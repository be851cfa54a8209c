import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sqlite } from '../../src/shared/sqlite.ts';
import { openModernStore, type ModernStore } from '../../src/modern/store/store.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { authorizationUrl, consent, open, type Running, runModern, SECOND } from './support/modern.ts';

/** Somebody who may write the database, but has not the keys, must not hand one browser the session of another. */

let modern: Running | undefined;
afterAll(() => modern?.stop());

function swapPayloads(databaseFile: string, kind: string): void {
  const db = new Sqlite(databaseFile);
  const rows = db
    .prepare<[string], { id: string; payload: string }>(
      'select id_digest as id, payload from oidc_records where kind = ?',
    )
    .all(kind);
  expect(rows).toHaveLength(2);
  const write = db.prepare('update oidc_records set payload = ? where kind = ? and id_digest = ?');
  for (const [index, { id }] of rows.entries()) write.run(rows[1 - index]?.payload, kind, id);
  db.close();
}

describe.each(['Session', 'Interaction'])('two sealed rows of kind %s', (kind) => {
  const folder = mkdtempSync(join(tmpdir(), 'modern-sealed-'));
  const file = join(folder, `${kind}.db`);
  let store: ModernStore;

  beforeAll(async () => {
    store = openModernStore(file);
    for (const name of ['a', 'b'])
      await store.adapter(kind).upsert(`id-${name}`, { uid: `uid-${name}`, accountId: name }, 60);
  });
  afterAll(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });

  const found = async () => {
    const adapter = store.adapter(kind);
    const byId = await Promise.all(['id-a', 'id-b'].map((id) => adapter.find(id)));
    const byUid = await Promise.all(['uid-a', 'uid-b'].map((uid) => adapter.findByUid(uid)));
    return { byId: byId.map((row) => row?.accountId), byUid: byUid.map((row) => row?.accountId) };
  };

  test('open by their own ids, and a session by its uid as well', async () => {
    const byUid = kind === 'Session' ? ['a', 'b'] : [undefined, undefined];
    expect(await found()).toEqual({ byId: ['a', 'b'], byUid });
  });

  test('open nothing once their payloads are swapped', async () => {
    swapPayloads(file, kind);
    const nothing = [undefined, undefined];
    expect(await found()).toEqual({ byId: nothing, byUid: nothing });
  });
});

test('a browser whose session row was swapped has to sign in again', async () => {
  modern = await runModern();
  const base = modern.server.url;
  const [browser, other] = [new CookieWalker(), new CookieWalker()];
  await consent({ base, browser });
  await consent({ base, browser: other, person: SECOND });
  expect((await open(browser, authorizationUrl(base))).body).toContain('Dana Demo');
  swapPayloads(modern.settings.databaseFile, 'Session');
  expect((await open(browser, authorizationUrl(base))).body).toContain('name="password"');
});
