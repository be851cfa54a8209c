import { sql } from 'kysely';
import { findMapping, findMappingById } from '../../../src/store/tokens/mappings.ts';
import { readGrant } from '../../../src/store/grants/read-grant.ts';
import { APP, keepAppAndAccount, keepGrant } from '../support/rows.ts';
import { databaseKinds, openTwoStores } from '../support/stores.ts';

/** A process serves on while a newer version adds columns beside it (docs/decisions/0034). */

test.each(databaseKinds)(
  'a token and a grant are read as before once a newer version added a column, on %s',
  async (kind) => {
    const { one, two, ...stores } = await openTwoStores(kind);
    await keepAppAndAccount(one.durable);
    const times = { created_at: 1, updated_at: 1 };
    await one.durable
      .insertInto('mappings')
      .values({ id: 'm', token_digest: 'd', client_id: APP, state: 'unmapped', source: 'imported', ...times })
      .execute();
    await keepGrant(one.durable, 'g');
    const readings = async () => [
      await findMapping(one, ['d']),
      await findMappingById(one, 'm'),
      await readGrant(one, 'g'),
    ];
    const before = await readings();
    expect(before[0]).toMatchObject({ id: 'm', app_source: 'registered', modern_client_id: null });
    expect(before[2]).toMatchObject({ id: 'g', state: 'ready', consented_at: null });
    for (const table of ['mappings', 'grants'])
      await sql`alter table ${sql.table(table)} add column of_a_newer_version text`.execute(two.durable);
    expect(await readings()).toEqual(before);
    await stores.close();
  },
);

test('on sqlite a statement that does not name its columns is refused', async () => {
  const { one, ...stores } = await openTwoStores('sqlite');
  await expect(one.rows('select * from mappings', [])).rejects.toThrow('must name its columns');
  await stores.close();
});
