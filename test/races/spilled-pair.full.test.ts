import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Database } from '../../src/store/driver/store.ts';
import { until } from '../support/servers/held-answer.ts';
import { type Bridges, type DatabaseKind, startBridges } from './bridges.ts';
import { connectApp, expireGrants, freshTokenIn, grantOf, nth, readAt } from './calls.ts';

/** A pair that the database would not take, and the process that held it killed. */

/** The database refuses to store a new version, as one that is full would, until the answer is called. */
const REFUSALS: Record<DatabaseKind, (db: Database) => Promise<() => Promise<unknown>>> = {
  async sqlite(db) {
    await sql`create trigger refuse_version before update of version on grants
      begin insert into no_such_table values (1); end`.execute(db);
    return () => sql`drop trigger refuse_version`.execute(db);
  },
  async postgres(db) {
    await sql`create function refuse_version() returns trigger language plpgsql as
      $$ begin raise exception 'no space is left' using errcode = '53100'; end $$`.execute(db);
    await sql`create trigger refuse_version before update of version on grants
      for each row execute function refuse_version()`.execute(db);
    return () => sql`drop trigger refuse_version on grants`.execute(db);
  },
};

describe.each<DatabaseKind>(['sqlite', 'postgres'])('on %s', (database) => {
  let bridges: Bridges;
  beforeAll(async () => {
    bridges = await startBridges({ count: 1, database });
  });
  afterAll(() => bridges.stop());

  const spilled = () => {
    const folder = join(bridges.varDir, 'spill');
    const names = existsSync(folder) ? readdirSync(folder) : [];
    return names.filter((name) => name.endsWith('.pair')).map((name) => join(folder, name));
  };

  test('a pair is taken back from its file by the next start after kill -9, and presented by nobody again', async () => {
    const bridge = nth(bridges, 0);
    const token = await connectApp(bridges);
    const { version } = await grantOf(bridges, bridges.app);
    let answered = '';
    bridges.proxy.onTokenAnswer = (_call, answer) => {
      answered = answer.body.toString();
      return answer;
    };
    const takeBack = await REFUSALS[database](bridges.context.store.durable);
    await expireGrants(bridges);
    const caller = readAt(bridge, token).catch(() => undefined);
    await until(() => spilled().length === 1);
    const [file = ''] = spilled();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const fresh = freshTokenIn({ body: Buffer.from(answered) });
    const { access_token: accessToken } = JSON.parse(answered) as { access_token: string };
    for (const secret of [fresh, accessToken]) {
      expect(readFileSync(file, 'latin1')).not.toContain(secret);
    }
    await bridge.kill();
    await caller;
    expect(await grantOf(bridges, bridges.app)).toMatchObject({ state: 'presenting', version });

    await takeBack();
    const before = bridges.proxy.refreshes().length;
    await bridge.start();
    await until(() => spilled().length === 0);
    expect(spilled()).toEqual([]);
    expect(await grantOf(bridges, bridges.app)).toMatchObject({ state: 'ready', version: version + 1 });
    expect((await readAt(bridge, token)).status).toBe(200);
    expect(bridges.proxy.refreshes()).toHaveLength(before);
    // The pair that was taken back is the one that is presented next.
    await expireGrants(bridges);
    expect((await readAt(bridge, token)).status).toBe(200);
    expect(bridges.proxy.refreshes().at(-1)?.refreshToken).toBe(fresh);
    bridges.proxy.assertNoRefreshTokenTwice();
  });
});
