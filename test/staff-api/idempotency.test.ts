import { sql } from 'kysely';
import { DAY } from '../../src/shared/lifetimes.ts';
import { purgeExpired } from '../../src/domain/purge-expired.ts';
import { actionsOf } from '../support/bridge/waiting-token.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { until } from '../support/servers/held-answer.ts';
import { keyFor, type Program, problemIn, programOf } from './support/api-client.ts';
import { type ApiGround, openGround, waitingIn } from './support/ground.ts';

/** A write with an Idempotency-Key is done once. */

const marked = (value: string) => ({ 'idempotency-key': value });
const reason = 'ticket 4711';
const APP = { name: 'Once', callbacks: ['https://once.example/cb'], owner: 'a'.repeat(24) };

/** The history takes no entry, as on a full disk. */
const NO_SPACE = {
  sqlite: [
    "create trigger no_space before insert on events begin select raise(abort, 'database or disk is full'); end",
  ],
  postgres: [
    "create function no_space() returns trigger language plpgsql as $$ begin raise exception using errcode = '53100', message = 'disk full'; end $$",
    'create trigger no_space before insert on events for each row execute function no_space()',
  ],
};

/** No claim can be given back. */
const NO_RETURN = {
  sqlite: [
    "create trigger no_return before delete on api_answers begin select raise(abort, 'database or disk is full'); end",
  ],
  postgres: [
    "create function no_return() returns trigger language plpgsql as $$ begin raise exception using errcode = '53100', message = 'disk full'; end $$",
    'create trigger no_return before delete on api_answers for each row execute function no_return()',
  ],
};
const RETURN = { sqlite: 'drop trigger no_return', postgres: 'drop trigger no_return on api_answers' };
const SPACE = { sqlite: 'drop trigger no_space', postgres: 'drop trigger no_space on events' };

const revokeUnknown = (program: Program) =>
  program.post(`/tokens/${'0'.repeat(24)}/revoke`, { reason }, marked('nine'));

describe.each(databaseKinds)('on %s', (kind) => {
  let ground: ApiGround;
  let program: Program;
  let keyId: string;

  beforeAll(async () => {
    ground = await openGround(kind);
    const made = await keyFor(ground, 'lead');
    [program, keyId] = [programOf(ground, made.key), made.id];
  });
  afterAll(() => ground.stop());

  const rows = () => ground.bridge.context.store.durable;
  const appsNamed = async (name: string) =>
    (await rows().selectFrom('apps').select('client_id').where('name', '=', name).execute()).length;

  test('sent again, it changes nothing and gets the same answer, without what is shown once', async () => {
    const first = await program.post('/apps', APP, marked('one'));
    const again = await program.post('/apps', { ...APP }, marked('one'));
    const secrets = { client_secret: null, owner_token: null };
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.json).toEqual({ ...(first.json as object), ...secrets });
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(await appsNamed('Once')).toBe(1);
    const kept = JSON.stringify(await rows().selectFrom('api_answers').selectAll().execute());
    for (const secret of Object.values(first.json as Record<string, string>).slice(1))
      expect(kept).not.toContain(secret);
  });

  test('many at once make one app', async () => {
    const app = { ...APP, name: 'At once' };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => program.post('/apps', app, marked('two'))),
    );
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    for (const answer of answers) expect(['200 undefined', '409 request-open']).toContain(problemIn(answer));
    expect(await appsNamed('At once')).toBe(1);
  });

  test('the key of another request is refused, and the same key of another program is not', async () => {
    await program.post('/apps', APP, marked('three'));
    const other = await program.post('/apps', { ...APP, name: 'Other' }, marked('three'));
    expect(problemIn(other)).toBe('422 key-used-otherwise');
    const elsewhere = await program.post('/apps/nobody/secrets', {}, marked('three'));
    expect(problemIn(elsewhere)).toBe('422 key-used-otherwise');
    expect(await appsNamed('Other')).toBe(0);
    const second = programOf(ground, (await keyFor(ground, 'lead')).key);
    expect(await second.post('/apps', { ...APP, name: 'Other' }, marked('three'))).toMatchObject({
      status: 200,
    });
  });

  test('a refused write gives its key back', async () => {
    const { mappingId } = await waitingIn(ground);
    const path = `/tokens/${mappingId}/revoke`;
    expect(problemIn(await program.post(path, { reason: '' }, marked('four')))).toBe('422 invalid-request');
    expect(await program.post(path, { reason }, marked('four'))).toMatchObject({ status: 200 });
    expect(await program.post(path, { reason }, marked('four'))).toMatchObject({
      json: { is_changed: true },
    });
    expect(
      (await actionsOf(ground.bridge, mappingId)).filter((action) => action === 'token_revoked'),
    ).toHaveLength(1);
  });

  test('a refused write gives its key back, also where the database fails at that moment', async () => {
    for (const one of NO_RETURN[kind]) await sql.raw(one).execute(rows());
    const refused = await revokeUnknown(program);
    const meanwhile = await revokeUnknown(program);
    await sql.raw(RETURN[kind]).execute(rows());
    expect([problemIn(refused), problemIn(meanwhile)]).toEqual(['404 not-found', '409 request-open']);
    const kept = rows().selectFrom('api_answers').select('id').where('request_key', '=', 'nine');
    await until(async () => (await kept.execute()).length === 0);
    expect(problemIn(await revokeUnknown(program))).toBe('404 not-found');
  });

  test('a write whose answer nobody knows is not done a second time', async () => {
    const { mappingId } = await waitingIn(ground);
    const path = `/tokens/${mappingId}/revoke`;
    await program.post(path, { reason }, marked('five'));
    await rows()
      .updateTable('api_answers')
      .set({ status: null, answer: null })
      .where('request_key', '=', 'five')
      .where('key_id', '=', keyId)
      .execute();
    expect(problemIn(await program.post(path, { reason }, marked('five')))).toBe('409 request-open');
  });

  test('a body of any depth is refused by its schema, with a key or without', async () => {
    const deep = `{"reason":${'['.repeat(7_000)}${']'.repeat(7_000)}}`;
    const { mappingId } = await waitingIn(ground);
    for (const headers of [{}, marked('deep')])
      expect(problemIn(await program.post(`/tokens/${mappingId}/revoke`, deep, headers))).toBe(
        '422 invalid-request',
      );
    const long = `{"account_ids":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    expect(problemIn(await program.post('/jobs/make-links', long, marked('deep')))).toBe(
      '422 invalid-request',
    );
  });

  test('where a write fails, its answer does not say that it can be sent again', async () => {
    const { mappingId } = await waitingIn(ground);
    const path = `/tokens/${mappingId}/revoke`;
    for (const one of NO_SPACE[kind]) await sql.raw(one).execute(rows());
    const [failed, without] = [
      await program.post(path, { reason }, marked('seven')),
      await program.post(path, { reason }),
    ];
    await sql.raw(SPACE[kind]).execute(rows());
    expect([problemIn(failed), problemIn(without)]).toEqual(['503 unavailable', '503 unavailable']);
    expect(failed.text).toContain('answered with request-open for a day');
    expect(failed.headers['retry-after']).toBeUndefined();
    expect(without.text).toContain('Nobody knows whether it was carried out.');
    expect(without.text).not.toContain('Nothing was');
    expect(without.headers['retry-after']).toBeUndefined();
    const again = await program.post(path, { reason }, marked('seven'));
    expect(problemIn(again)).toBe('409 request-open');
    expect(await program.post(path, { reason }, marked('eight'))).toMatchObject({ status: 200 });
  });

  test.each(['', 'with a blank', 'ü', 'a'.repeat(201)])('the key %j is none', async (value) => {
    const answer = await program.post('/apps', { ...APP, name: 'None' }, marked(value));
    expect(['400 unreadable-request']).toContain(problemIn(answer));
    expect(await appsNamed('None')).toBe(0);
  });

  test('answers are forgotten after a day', async () => {
    await program.post('/apps', { ...APP, name: 'Old' }, marked('six'));
    await rows()
      .updateTable('api_answers')
      .set({ asked_at: Date.now() - DAY - 1000 })
      .execute();
    await purgeExpired(ground.bridge.context);
    expect(await rows().selectFrom('api_answers').selectAll().execute()).toEqual([]);
  });
});
