import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { openStore } from '../../src/store/driver/open-store.ts';
import { freshDatabase, type TestDatabase } from '../support/database/database.ts';
import { startPostgres } from '../support/database/postgres.ts';

/** What is committed is kept: the settings that this rests on are checked, not hoped for. */

describe('on postgres', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await freshDatabase();
  });

  afterAll(() => database.drop());

  const url = (change: (url: URL) => void) => {
    const changed = new URL(database.url);
    change(changed);
    return changed.href;
  };

  const tell = async (statement: string) => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(statement);
    await client.end();
  };

  test.each([
    ['off', 'refused'],
    ['local', 'taken'],
  ])('a database that says synchronous_commit = %s is %s', async (mode, outcome) => {
    const name = new URL(database.url).pathname.slice(1);
    await tell(`alter database ${name} set synchronous_commit = ${mode}`);
    const opening = openStore({ kind: 'postgres', url: database.url });
    if (outcome === 'refused') await expect(opening).rejects.toThrow('synchronous_commit is off');
    else await (await opening).close();
    await tell(`alter database ${name} reset synchronous_commit`);
  });

  test('a database that takes no writes is refused in words', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await tell(`alter database ${name} set default_transaction_read_only = on`);
    try {
      const opening = openStore({ kind: 'postgres', url: database.url });
      await expect(opening).rejects.toThrow(/^DATABASE_URL: the server takes no writes: it is a standby/);
    } finally {
      await tell(`begin read write; alter database ${name} reset default_transaction_read_only; commit`);
    }
  });

  test('a role without rights is told what it needs', async () => {
    const role = `weak_${randomBytes(4).toString('hex')}`;
    await tell(`create role ${role} login`);
    const weak = url((address) => {
      address.username = role;
    });
    const opening = openStore({ kind: 'postgres', url: weak });
    await expect(opening).rejects.toThrow(
      /^DATABASE_URL: permission denied for (schema public|table schema_version)\. The role of DATABASE_URL must own the database/,
    );
    await tell(`drop role ${role}`);
  });

  test('a new database that lacks characters is refused, and stays empty', async () => {
    const name = `latin_${randomBytes(4).toString('hex')}`;
    await tell(`create database ${name} template template0 encoding 'LATIN1' locale 'C'`);
    const latin = url((address) => {
      address.pathname = `/${name}`;
    });
    const opening = openStore({ kind: 'postgres', url: latin });
    await expect(opening).rejects.toThrow(/^DATABASE_URL: the database has the encoding LATIN1, .*UTF8/);
    await tell(`drop database ${name}`);
  });

  test('a start that is refused names the reason and never the password', async () => {
    const nowhere = url((address) => {
      address.password = 'hush7Yq';
      address.pathname = '/missing';
    });
    const refusal = await openStore({ kind: 'postgres', url: nowhere }).catch((error: Error) => error);
    expect(refusal).toMatchObject({
      message: expect.stringMatching(
        /^DATABASE_URL: database "missing" does not exist\. .*: createdb --owner/,
      ),
    });
    const unreachable = url((address) => {
      address.password = 'hush7Yq';
      address.port = '9';
    });
    const failure = await openStore({ kind: 'postgres', url: unreachable }).catch(
      ({ message }: Error) => message,
    );
    expect(failure).toMatch(/^DATABASE_URL: .*ECONNREFUSED/);
    expect(failure).not.toContain('hush7Yq');
  });
});

test('a server that syncs nothing is named as a problem, one that does is not', async () => {
  for (const fsync of [false, true]) {
    const postgres = await startPostgres({ fsync });
    const store = await openStore({ kind: 'postgres', url: postgres.url });
    expect(await store.findProblem()).toEqual(fsync ? undefined : expect.stringContaining('fsync is off'));
    await store.close();
    await postgres.stop();
  }
});
