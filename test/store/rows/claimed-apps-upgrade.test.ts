import { readFileSync } from 'node:fs';
import pg from 'pg';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { migrationFiles } from '../../../src/store/driver/schema/migrations.ts';
import { type DatabaseLocation, openStore } from '../../../src/store/driver/open-store.ts';
import { choosePlace, databaseKinds, type Place } from '../support/stores.ts';

/** A database of a version that believed what a call said of its app: nobody loses a connection, and no claim keeps force. */

const BELIEVED_UNTIL = 8;

/** The schema as it was, with rows of that version. */
async function makeOlder(location: DatabaseLocation, rows: string): Promise<void> {
  const older = migrationFiles(location.kind).filter(({ number }) => number < BELIEVED_UNTIL);
  const texts = older.map(({ path }) => readFileSync(path, 'utf8'));
  const newest = older.at(-1)?.number ?? 0;
  if (location.kind === 'sqlite') {
    const handle = new Sqlite(location.file);
    handle.pragma('foreign_keys = OFF');
    for (const text of [...texts, rows]) handle.exec(text);
    handle.pragma(`user_version = ${newest}`);
    handle.close();
    return;
  }
  const client = new pg.Client({ connectionString: location.url });
  await client.connect();
  for (const text of [...texts, rows]) await client.query(text);
  await client.query('create table schema_version (number integer not null)');
  await client.query('insert into schema_version (number) values ($1)', [newest]);
  await client.end();
}

interface Token {
  app: string;
  state: string;
  grant?: string;
  source?: string;
  /** Action, actor and reason. */
  events?: Array<[action: string, actor: string, reason: string]>;
}

const SEEN: [string, string, string] = ['token_observed', 'bridge', 'the old backend accepts it'];
const NAMED: [string, string, string] = ['token_assigned', 'bridge', 'a call named the app'];

const TOKENS: Record<string, Token> = {
  'named at first, waits': { app: 'app', state: 'unmapped', events: [SEEN] },
  'named later, waits': { app: 'app', state: 'unmapped', events: [SEEN, NAMED] },
  'named, connected': { app: 'app', state: 'active', grant: 'of-app', events: [SEEN, NAMED] },
  'named, stopped': { app: 'app', state: 'reauthorization_required', grant: 'of-app', events: [SEEN] },
  'named, revoked': { app: 'app', state: 'revoked', events: [SEEN] },
  'assigned by support': {
    app: 'app',
    state: 'active',
    grant: 'of-app',
    events: [SEEN, NAMED, ['token_assigned', 'account:staff', 'the owner said so']],
  },
  'given by an import': {
    app: 'app',
    state: 'unmapped',
    events: [SEEN, ['token_changed', 'command', 'import: app, account']],
  },
  imported: { app: 'app', state: 'unmapped', source: 'imported' },
  'of a program, waits': { app: 'program', state: 'unmapped', events: [SEEN] },
  'of a program, joined unasked': {
    app: 'program',
    state: 'active',
    grant: 'of-program',
    events: [SEEN, ['token_connected', 'bridge', 'a grant serves the pair']],
  },
  'of a program, consented': {
    app: 'program',
    state: 'active',
    grant: 'of-program',
    events: [
      SEEN,
      ['token_connected', 'bridge', 'a grant serves the pair'],
      ['token_connected', 'a', 'consent'],
    ],
  },
};

const quoted = (value: string | null) => (value === null ? 'null' : `'${value}'`);

const insertion = (table: string, row: Record<string, string | number | null>) =>
  `insert into ${table} (${Object.keys(row).join(', ')}) values (${Object.values(row)
    .map((value) => (typeof value === 'number' ? value : quoted(value)))
    .join(', ')});`;

const grant = (id: string, client_id: string) =>
  insertion('grants', {
    id,
    client_id,
    account_id: 'a',
    modern_client_id: 'bridge',
    state: 'ready',
    version: 1,
    scope: '',
    access_expires_at: 0,
    refresh_at: 0,
    created_at: 0,
    updated_at: 0,
  });

function rowsOf(
  id: string,
  { app, state, grant: grantId, source = 'observed', events = [] }: Token,
): string[] {
  const mapping = { id, token_digest: id, client_id: app, account_id: 'a', grant_id: grantId ?? null };
  return [
    insertion('mappings', { ...mapping, state, source, created_at: 7, updated_at: 0 }),
    ...events.map(([action, actor, reason]) =>
      insertion('events', { at: 0, actor, action, reason, mapping_id: id, client_id: app, account_id: 'a' }),
    ),
  ];
}

const OLDER = [
  insertion('apps', { client_id: 'app', name: 'App', source: 'imported', created_at: 0 }),
  insertion('apps', {
    client_id: 'program',
    name: 'unidentified program: x',
    source: 'observed',
    created_at: 0,
  }),
  insertion('accounts', { account_id: 'a', updated_at: 0 }),
  grant('of-app', 'app'),
  grant('of-program', 'program'),
  ...Object.entries(TOKENS).flatMap(([id, token]) => rowsOf(id, token)),
];

describe.each(databaseKinds)('on %s', (kind) => {
  let place: Place;
  beforeAll(async () => void (place = await choosePlace(kind)));
  afterAll(() => place.remove());

  test('a token keeps its connection; the app that only a call named is a claim from now on', async () => {
    await makeOlder(place.location, OLDER.join('\n'));
    const store = await openStore(place.location);
    const tokens = await store.durable
      .selectFrom('mappings as m')
      .innerJoin('apps as a', 'a.client_id', 'm.client_id')
      .select(['m.id', 'm.state', 'm.grant_id', 'm.claimed_client_id', 'm.claimed_at', 'm.app_proven'])
      .select(['a.client_id', 'a.name', 'a.source'])
      .execute();
    const after = Object.fromEntries(tokens.map(({ id, ...row }) => [id, row]));
    for (const [id, { state, grant: grantId = null }] of Object.entries(TOKENS))
      expect([id, after[id]?.state, after[id]?.grant_id]).toEqual([id, state, grantId]);
    const standing = Object.entries(after).map(([id, row]) => [
      id,
      row.source === 'observed' ? row.name : row.client_id,
      row.claimed_client_id,
      row.app_proven,
    ]);
    const nobodys = 'unidentified program: not recorded';
    expect(new Set(standing)).toEqual(
      new Set([
        ['named at first, waits', nobodys, 'app', 0],
        ['named later, waits', nobodys, 'app', 0],
        ['named, connected', 'app', 'app', 0],
        ['named, stopped', 'app', 'app', 0],
        ['named, revoked', 'app', 'app', 0],
        ['assigned by support', 'app', null, 1],
        ['given by an import', 'app', null, 1],
        ['imported', 'app', null, 0],
        ['of a program, waits', 'unidentified program: x', null, 0],
        ['of a program, joined unasked', 'unidentified program: x', null, 0],
        ['of a program, consented', 'unidentified program: x', null, 1],
      ]),
    );
    expect(after['named at first, waits']).toMatchObject({ source: 'observed', claimed_at: 7 });
    expect(after['named at first, waits']?.client_id).toMatch(/^[0-9a-f]{24}$/);
    await store.close();
  });

  test('a database without such tokens gets no program', async () => {
    const empty = await choosePlace(kind);
    await makeOlder(empty.location, '');
    const store = await openStore(empty.location);
    expect(await store.durable.selectFrom('apps').select('client_id').execute()).toEqual([]);
    await store.close();
    await empty.remove();
  });
});
