import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openInstanceWatch } from '../../src/domain/instance/instance-watch.ts';
import { createLogger } from '../../src/shared/log/logger.ts';
import { openEpochFile } from '../../src/store/files/epoch-file.ts';
import { readInstanceHere } from '../../src/store/instance/instance.ts';
import { openStore } from '../../src/store/driver/open-store.ts';
import { freshDatabase } from '../support/database/database.ts';

const folder = mkdtempSync(join(tmpdir(), 'instance-'));
afterAll(() => rmSync(folder, { recursive: true }));

const logger = createLogger({ level: 'none', name: 'test' });
const clock = { elapsed: () => performance.now() };

test('a role of PostgreSQL that may not ask for the server knows the database by its number alone', async () => {
  const database = await freshDatabase();
  const role = `r_${randomBytes(6).toString('hex')}`;
  const url = new URL(database.url);
  url.username = role;
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  await admin.query(`create role ${role} login; grant create on schema public to ${role}`);
  const location = { kind: 'postgres', url: url.href } as const;
  const store = await openStore(location);
  try {
    expect(await store.place()).toMatch(/^\d+\/\d+$/);
    const file = openEpochFile(join(folder, 'role.json'), location);
    await openInstanceWatch({ store, file, clock, logger });
    await admin.query('revoke execute on function pg_control_system() from public');
    expect(await store.place()).toMatch(/^\/\d+$/);
    expect((await openInstanceWatch({ store, file, clock, logger })).why()).toBeUndefined();
    // In a transaction the same name, and no refusal that would end the transaction.
    const here = await store.transaction((tx) => readInstanceHere(tx, store.placeExpression()));
    expect(here.place).toBe(await store.place());
  } finally {
    await store.close();
    await admin.query(`drop owned by ${role}; drop role ${role}`);
    await admin.end();
    await database.drop();
  }
});
