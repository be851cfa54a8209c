import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { withLease } from '../../src/domain/work/lease.ts';
import { countImports } from '../../src/jobs/count-imports.ts';
import { newHexId, newLegacyToken } from '../../src/shared/ids.ts';
import { MINUTE } from '../../src/shared/lifetimes.ts';
import { newestProgress } from '../../src/store/progress/progress.ts';
import { rowsOf } from '../roles/support/rows.ts';
import { holdJobs } from '../support/bridge/hold-jobs.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { keyFor, type Program, problemIn, programOf } from './support/api-client.ts';
import { type ApiGround, openGround } from './support/ground.ts';

/** POST /import: the rows of an import, piece by piece, judged as lines of a file. */

interface ImportJson {
  is_written: boolean;
  new: number;
  known: number;
  changed: number;
  refused: number;
  refused_rows: Array<{ row: number; field: string | null; reason: string; client_id: string | null }>;
  unknown_fields: string[];
  hidden_fields: number;
  weak_tokens: number;
  weak_rows: number[];
}

const newApp = (clientId: string) => ({
  type: 'app',
  client_id: clientId,
  name: 'Imported by a program',
  client_secret: `a-secret-${clientId}`,
  callback_urls: ['https://imported.example/cb'],
  owner_email: `${clientId}@owners.example`,
});

const newToken = (clientId: string, token: string) => ({
  type: 'token',
  access_token: token,
  client_id: clientId,
  account_email: 'holder@people.example',
  last_used_at: '2026-01-05T10:00:00Z',
});

describe.each(databaseKinds)('on %s', (kind) => {
  let ground: ApiGround;
  let program: Program;
  let actor: string;
  let release: () => void;

  beforeAll(async () => {
    ground = await openGround(kind);
    // The jobs of every minute and hour would count between two looks.
    release = await holdJobs(ground.bridge.context, ['count-imports', 'keep-progress']);
    const { key, id } = await keyFor(ground, 'lead');
    [program, actor] = [programOf(ground, key), `key:${id}`];
  });
  afterAll(() => {
    release();
    return ground.stop();
  });

  const send = async (rows: readonly object[], more: object = {}) =>
    (await program.post('/import', { rows, ...more })).json as ImportJson;

  const countedAt = async () => {
    const rows = await ground.bridge.context.store.aside.selectFrom('progress_reading').selectAll().execute();
    return rows.map(({ counted_at: at }) => at);
  };
  const unmappedOf = async (clientId: string) =>
    (await newestProgress(ground.bridge.context.store.durable, [clientId]))[0]?.unmapped;
  const count = () => countImports(ground.bridge.context, { name: `job ${newHexId()}`, limit: MINUTE });

  test('a piece counts nothing, and one count follows many pieces', async () => {
    const clientId = newHexId();
    await count();
    const before = await countedAt();
    await send([newApp(clientId), newToken(clientId, newLegacyToken())]);
    await send([newToken(clientId, newLegacyToken())]);
    await send([newToken(clientId, newLegacyToken())], { is_dry_run: true });
    expect([await countedAt(), await unmappedOf(clientId)]).toEqual([before, undefined]);
    await count();
    expect(await unmappedOf(clientId)).toBe(2);
    const counted = await countedAt();
    expect(counted).not.toEqual(before);
    await count();
    expect(await countedAt()).toEqual(counted);
  });

  test('a count that another process runs is made up for', async () => {
    const { context } = ground.bridge;
    const [clientId, name] = [newHexId(), `job ${newHexId()}`];
    await send([newApp(clientId), newToken(clientId, newLegacyToken())]);
    await withLease({ ...context, processId: newHexId() }, { name, limit: MINUTE }, () =>
      countImports(context, { name, limit: MINUTE }),
    );
    expect(await unmappedOf(clientId)).toBeUndefined();
    await count();
    expect(await unmappedOf(clientId)).toBe(1);
  });

  test('what a killed dry run left is swept by the next import', async () => {
    const folder = ground.bridge.context.settings.importFolder;
    const [own, dead] = [process.pid, 4_000_000].map((pid) => join(folder, `dry-run.${pid}.draft`));
    for (const left of [own, dead]) mkdirSync(String(left), { recursive: true });
    expect(await send([newApp(newHexId())], { is_dry_run: true })).toMatchObject({
      new: 1,
      is_written: false,
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('an app and its tokens are imported in any order, and again change nothing', async () => {
    const [clientId, token] = [newHexId(), newLegacyToken()];
    const sha = createHash('sha256').update(newLegacyToken()).digest('hex');
    const { access_token: _raw, ...digested } = newToken(clientId, token);
    const rows = [
      newToken(clientId, token),
      newApp(clientId),
      { ...digested, access_token_sha256: sha },
      { type: 'profile', legacy_id: newHexId(), modern_id: newHexId() },
    ];
    expect(await send(rows)).toEqual({
      is_written: true,
      new: 4,
      known: 0,
      changed: 0,
      refused: 0,
      refused_rows: [],
      unknown_fields: [],
      hidden_fields: 0,
      weak_tokens: 0,
      weak_rows: [],
    });
    expect(await send(rows)).toMatchObject({ new: 0, known: 4 });
    const found = await program.post('/search', { text: token });
    expect(found.json).toMatchObject({
      tokens: [{ client_id: clientId, state: 'unmapped', source: 'imported' }],
    });
    const entries = await ground.bridge.context.store.durable
      .selectFrom('events')
      .select(['action', 'actor'])
      .where('client_id', '=', clientId)
      .execute();
    expect(entries).toContainEqual({ action: 'app_imported', actor });
  });

  test('a refused row is told by its place, its field and the reason, and never by what it holds', async () => {
    const [clientId, token] = [newHexId(), newLegacyToken()];
    const answer = await program.post('/import', {
      rows: [
        newApp(clientId),
        { ...newToken(clientId, token), account_email: 'nobody' },
        { type: 'wonder' },
        newToken(newHexId(), token),
        newToken(clientId, `1/${'ab'.repeat(16)}`),
        { ...newToken(clientId, token), colour: 'red', [token]: 1, email: 'of@pairs.example' },
      ],
    });
    expect(answer.json).toMatchObject({
      is_written: true,
      new: 3,
      refused: 3,
      refused_rows: [
        { row: 1, field: 'account_email' },
        { row: 2, field: 'type' },
        { row: 3, field: 'client_id' },
      ],
      unknown_fields: ['colour', 'email in rows of type token'],
      hidden_fields: 1,
      weak_tokens: 1,
      weak_rows: [4],
    });
    expect(answer.text).not.toContain(token.slice(2));
  });

  test('a dry run and an import with too many refused rows change nothing', async () => {
    const clientId = newHexId();
    const rows = [newApp(clientId), newToken(newHexId(), newLegacyToken())];
    // The search and the key are told of; the import itself must leave no trace.
    const { leases: _1, api_keys: _2, ...before } = await rowsOf(ground);
    expect(await send(rows, { is_dry_run: true })).toMatchObject({ is_written: false, new: 1, refused: 1 });
    expect(await send(rows, { max_refused: 0 })).toMatchObject({ is_written: false, new: 1, refused: 1 });
    const { leases: _3, api_keys: _4, ...after } = await rowsOf(ground);
    expect(after).toEqual(before);
    expect(await send(rows, { max_refused: 1 })).toMatchObject({ is_written: true, new: 1, refused: 1 });
  });

  test('row K9 of two imports at once one is refused, and nothing of a row is done twice', async () => {
    const [clientId, rows] = [newHexId(), [] as object[]];
    for (let i = 0; i < 2000; i += 1) rows.push(newToken(clientId, newLegacyToken()));
    const answers = await Promise.all([
      program.post('/import', { rows: [newApp(clientId), ...rows] }),
      program.post('/import', { rows: [newApp(clientId), ...rows] }),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused && problemIn(refused)).toBe('409 not-possible');
    expect(await send([newApp(clientId), ...rows])).toMatchObject({ new: 0, known: 2001, refused: 0 });
  });

  test('row K10 a value that nests, and more rows than five thousand, are refused before any row is read', async () => {
    const deep = `{"rows":[{"type":"app","name":${'['.repeat(200_000)}${']'.repeat(200_000)}}]}`;
    expect(problemIn(await program.post('/import', deep as unknown as object))).toMatch(/^4\d\d /);
    expect(problemIn(await program.post('/import', { rows: [{ type: 'app', name: { a: 1 } }] }))).toBe(
      '422 invalid-request',
    );
    const many = Array.from({ length: 5001 }, () => ({ type: 'app' }));
    expect(problemIn(await program.post('/import', { rows: many }))).toBe('422 invalid-request');
    expect(problemIn(await program.post('/import', { rows: [] }))).toBe('422 invalid-request');
  });

  test('a body of nothing but mistakes costs no more than others, and is told in short', async () => {
    const row: Record<string, unknown> = { type: 'app' };
    for (let i = 0; i < 200_000; i += 1) row[`field${i}`] = {};
    const rows = [row, ...Array.from({ length: 4000 }, () => ({ type: 'app', name: {} }))];
    const before = process.cpuUsage();
    const answer = await program.post('/import', { rows });
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(4000);
    expect(problemIn(answer)).toBe('422 invalid-request');
    const { errors } = answer.json as { errors: Array<{ pointer: string; detail: string }> };
    expect(errors).toHaveLength(20);
    expect(errors.slice(0, 2)).toMatchObject([
      { pointer: '/rows/0', detail: 'has more than 100 fields' },
      { pointer: '/rows/1/name' },
    ]);
    const nothing = await program.post('/import', { rows: Array.from({ length: 5000 }, () => ({})) });
    expect((nothing.json as { errors: unknown[] }).errors).toHaveLength(100);
  });

  test('the connection of the bridge that serves calls stays as it is', async () => {
    const { durable } = ground.bridge.context.store;
    const standing = async () => [
      (await sql`pragma wal_autocheckpoint`.execute(durable)).rows,
      (await sql`pragma cache_size`.execute(durable)).rows,
    ];
    const before = kind === 'sqlite' && (await standing());
    expect(await send([newApp(newHexId())])).toMatchObject({ new: 1 });
    expect(kind === 'sqlite' && (await standing())).toEqual(before);
  });

  test('other work gets its turn after some hundred rows', async () => {
    const { store } = ground.bridge.context;
    const transaction = store.transaction.bind(store);
    let steps = 0;
    store.transaction = async (work) => {
      steps += 1;
      return transaction(work);
    };
    const clientId = newHexId();
    const tokens = Array.from({ length: 2000 }, () => newToken(clientId, newLegacyToken()));
    const done = await send([newApp(clientId), ...tokens]);
    store.transaction = transaction;
    expect(done).toMatchObject({ new: 2001, refused: 0 });
    expect(steps).toBeGreaterThanOrEqual(2000 / 250);
  });

  test('a known app gets no new callback by a program', async () => {
    const clientId = newHexId();
    await send([newApp(clientId)]);
    const other = { ...newApp(clientId), callback_urls: ['http://elsewhere.example/cb'] };
    expect(await send([newApp(clientId), other])).toMatchObject({
      known: 1,
      changed: 0,
      refused_rows: [{ row: 1, field: 'callback_urls' }],
    });
    expect(await send([other], { is_dry_run: true })).toMatchObject({ refused: 1 });
    const kept = await ground.bridge.context.store.durable
      .selectFrom('app_callbacks')
      .select('uri')
      .where('client_id', '=', clientId)
      .execute();
    expect(kept).toEqual([{ uri: 'https://imported.example/cb' }]);
  });

  test('the same rows with the same Idempotency-Key are answered again', async () => {
    const rows = [newApp(newHexId())];
    const marked = { 'idempotency-key': newHexId() };
    const [first, second] = [
      await program.post('/import', { rows }, marked),
      await program.post('/import', { rows }, marked),
    ];
    expect(second.json).toEqual(first.json);
    expect(second.headers['idempotency-replayed']).toBe('true');
  });
});
