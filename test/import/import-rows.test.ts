import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importFile, type ImportResult } from '../../src/domain/import/reading/import-file.ts';
import { sha256Of } from '../../src/shared/secrets.ts';
import { insertGrant } from '../../src/store/grants/grants.ts';
import { type History, openHistory } from '../domain/support/histories.ts';
import { databaseKinds } from '../store/support/stores.ts';
import { grantRow } from '../store/support/rows.ts';

/** What an import takes over, what it refuses and why, and that it loses nothing else. */

const APP = 'a'.repeat(24);
const OTHER_APP = 'b'.repeat(24);
const ACCOUNT = 'c'.repeat(24);
const OTHER_ACCOUNT = 'd'.repeat(24);
const LEGACY = 'e'.repeat(24);
const EMAIL = 'holder@mail.example';

const app = { type: 'app', client_id: APP, name: 'An App', owner_email: 'Owner@App.example' };
const token = (name: string, more: object = {}) => ({
  type: 'token',
  access_token: `1/${name.padEnd(32, '0')}`,
  client_id: APP,
  account_id: ACCOUNT,
  ...more,
});
const ndjson = (...rows: Array<object | string>) =>
  rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join('');

const counts = ({ new: added, known, changed, refused }: ImportResult) => [added, known, changed, refused];
const refusals = ({ report }: ImportResult) =>
  (report === null ? '' : readFileSync(report, 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { line: number; reason: string; field?: string });
const pair = (legacy: string, more: object) => ({ type: 'account', legacy_id: legacy, ...more });

const countOf = (field: string, reason: string, lines: number[]) => {
  return { field, reason, count: lines.length, lines };
};

describe.each(databaseKinds)('on %s', (kind) => {
  let place: History;

  beforeEach(async () => {
    place = await openHistory(kind);
  });

  afterEach(async () => {
    await place.close();
  });

  const importFrom = (file: string, isDryRun = false) =>
    importFile(place.context, {
      file,
      folder: join(place.varDir, 'imports'),
      isDryRun,
      origin: { actor: 'test', requestId: null },
      onProgress: () => {},
    });
  const take = (content: string | Buffer, isDryRun = false): Promise<ImportResult> => {
    const file = join(place.varDir, 'file');
    writeFileSync(file, content);
    return importFrom(file, isDryRun);
  };
  const mappings = () => place.db.selectFrom('mappings').selectAll().orderBy('id').execute();
  const actions = async () =>
    (await place.rows()).map((row) => row.action).filter((one) => !one.startsWith('key'));

  const states = async () =>
    Object.fromEntries((await mappings()).map((row) => [row.hint_first, [row.state, row.grant_id]]));

  test('apps, pairs and tokens in any order, raw or digested; a second time changes nothing', async () => {
    const content = ndjson(
      token('raw', { account_id: LEGACY, created_at: 1500000000, last_used_at: '2020-05-06T07:08:09Z' }),
      {
        ...token('', { account_id: undefined }),
        account_email: ' Holder@Mail.example ',
        access_token: null,
        access_token_sha256: sha256Of('1/digested').toString('hex').toUpperCase(),
      },
      { type: 'profile', legacy_id: 'p1', modern_id: 'channel-1' },
      {
        ...app,
        client_secret: 'a-secret-of-the-app',
        callback_urls: ['http://a.example/x', 'myapp://back'],
        contacts: 'one@a.example two@a.example',
        owner_account_id: LEGACY,
      },
      { type: 'account', legacy_id: LEGACY, modern_id: ACCOUNT },
    );
    expect(counts(await take(content, true))).toEqual([5, 0, 0, 0]);
    expect(await mappings()).toEqual([]);
    expect(counts(await take(content))).toEqual([5, 0, 0, 0]);
    const { vault } = place.context;
    const [raw, digested] = await mappings();
    expect(raw).toMatchObject({
      token_digest: vault.digest(`1/raw${'0'.repeat(29)}`),
      hint_first: 'raw0',
      hint_last: '0000',
      client_id: APP,
      account_id: ACCOUNT,
      account_email: null,
      state: 'unmapped',
      source: 'imported',
      created_at: 1500000000000,
      last_used_at: Date.parse('2020-05-06T07:08:09Z'),
    });
    expect(digested).toMatchObject({
      token_digest: vault.digest('1/digested'),
      hint_first: null,
      account_id: null,
      account_email: EMAIL,
    });
    const apps = await place.db.selectFrom('apps').selectAll().execute();
    expect(apps).toMatchObject([
      { owner_account_id: ACCOUNT, owner_email: 'owner@app.example', source: 'imported' },
    ]);
    const callbacks = await place.db.selectFrom('app_callbacks').select('uri').orderBy('uri').execute();
    expect(callbacks.map(({ uri }) => uri)).toEqual(['http://a.example/x', 'myapp://back']);
    expect(await place.db.selectFrom('app_contacts').select('address').execute()).toHaveLength(2);
    const secrets = await place.db.selectFrom('app_secrets').select('secret_digest').execute();
    expect(secrets).toEqual([{ secret_digest: vault.digest('a-secret-of-the-app') }]);
    const before = await actions();
    expect(before).toEqual(['app_imported', 'account_named', 'token_imported', 'token_imported']);
    expect(counts(await take(content, true))).toEqual([0, 5, 0, 0]);
    expect(counts(await take(content))).toEqual([0, 5, 0, 0]);
    expect(await actions()).toEqual(before);
  });

  test('every defect is named by its line, no secret is repeated, and nothing else is lost', async () => {
    const SECRET = '1/5ec4e75ec4e75ec4e75ec4e75ec4e75ec4';
    const bad: Array<[row: object | string, reason: string, field?: string]> = [
      [`{"type":"token","access_token":"${SECRET}"`, 'not valid JSON'],
      ['[1]', 'not one JSON object'],
      [{ type: 'plan' }, 'is not app, profile, account or token', 'type'],
      [{ access_token: SECRET }, 'is missing', 'type'],
      [token('x', { access_token: 12 }), 'must be text', 'access_token'],
      [token('x', { access_token: { [SECRET]: SECRET } }), 'must be text', 'access_token'],
      [
        token('x', { access_token: '1/short' }),
        'must be 16 to 512 printable ASCII characters without % and blanks, as it was handed out',
        'access_token',
      ],
      [
        token('x', { access_token_sha256: SECRET }),
        'must be the 64 hex digits of a SHA-256',
        'access_token_sha256',
      ],
      [
        token('x', { access_token_sha256: '0'.repeat(64) }),
        'is not that of the value beside it',
        'access_token_sha256',
      ],
      [token('x', { access_token: undefined }), 'is missing', 'access_token or access_token_sha256'],
      [token('x', { account_id: null }), 'is missing', 'account_email or account_id'],
      [token('x', { account_email: 'nobody' }), 'is no e-mail address', 'account_email'],
      [token('x', { client_id: SECRET }), 'must be 24 hex digits in lower case', 'client_id'],
      [token('x', { client_id: OTHER_APP }), 'unknown app', 'client_id'],
      [token('x', { created_at: '2999-01-01' }), 'in the future', 'created_at'],
      [token('x', { created_at: 1500000000000 }), 'in the future', 'created_at'],
      [token('x', { last_used_at: '1999-12-31T23:59:59Z' }), 'before the year 2000', 'last_used_at'],
      [token('x', { last_used_at: '2020-02-30' }), 'is no time in ISO 8601 or Unix seconds', 'last_used_at'],
      [token('x', { last_used_at: [1] }), 'is no time in ISO 8601 or Unix seconds', 'last_used_at'],
      [
        { ...app, callback_urls: ['javascript:alert(1)'] },
        'has a scheme that no callback may have',
        'callback_urls',
      ],
      [{ ...app, callback_urls: ['/relative'] }, 'is no absolute address', 'callback_urls'],
      [{ ...app, callback_urls: ['https://a.example/#x'] }, 'holds a fragment', 'callback_urls'],
      [{ ...app, name: 'x\u0000' }, 'holds characters that cannot be shown', 'name'],
      [{ ...app, name: '\ud800' }, 'holds characters that cannot be shown', 'name'],
      [{ ...app, name: 'n'.repeat(201) }, 'too long', 'name'],
      [{ type: 'profile', legacy_id: 'p1' }, 'is missing', 'modern_id'],
      [`{"type":"app","name":"${'n'.repeat(10_000_000)}"}`, 'the line is longer than 64 KB'],
      ['{"type":"app","na\u{FFFD}me":1}', 'is missing', 'owner_email or owner_account_id'],
      [
        token('twice', { account_id: OTHER_ACCOUNT }),
        'already belongs to another account',
        'account_email or account_id',
      ],
    ];
    const good = [
      `{"__proto__":{"type":"app"},"type":"app","client_id":"${APP}","name":"=cmd()","owner_email":"o@a.example"}`,
      token('twice'),
      '',
      '   ',
    ];
    const rows = [...good, ...bad.map(([row]) => row), token('last')];
    const text = `\u{FEFF}${ndjson(...rows).replaceAll('\n', '\r\n')}`;
    const notUtf8 = Buffer.from('{"type":"app","name":"\xe9"}\n', 'latin1');
    const content = Buffer.concat([Buffer.from(text), notUtf8, Buffer.from('{"type":"token","acc')]);
    const expected = [
      ...bad.map(([, reason, field], index) => ({
        line: index + good.length + 1,
        reason,
        ...(field && { field }),
      })),
      { line: rows.length + 1, reason: 'not UTF-8' },
      { line: rows.length + 2, reason: 'the last line is cut off' },
    ];
    for (const isDryRun of [true, false]) {
      const done = await take(content, isDryRun);
      expect(counts(done)).toEqual([3, 0, 0, expected.length]);
      const found = refusals(done).toSorted((a, b) => a.line - b.line);
      expect(found.map(({ line, reason, field }) => ({ line, reason, ...(field && { field }) }))).toEqual(
        expected,
      );
      expect(done.refusals.reduce((sum, { count }) => sum + count, 0)).toBe(expected.length);
      expect(done.refusals).toContainEqual(countOf('access_token', 'must be text', [9, 10]));
      expect(done.refusals).toContainEqual(countOf('modern_id', 'is missing', [30]));
      expect(done.written).toBe(!isDryRun);
      expect(readFileSync(String(done.report), 'utf8')).not.toContain('5ec4e7');
      expect(statSync(String(done.report)).mode & 0o777).toBe(0o600);
    }
    const apps = await place.db.selectFrom('apps').select('name').execute();
    expect(apps).toEqual([{ name: '=cmd()' }]);
    expect((await mappings()).map((row) => row.account_id)).toEqual([ACCOUNT, ACCOUNT]);
  });

  test('what is known is filled in, never moved; what is final stays', async () => {
    await take(
      ndjson(app, { ...app, client_id: OTHER_APP }, token('t', { account_id: null, account_email: EMAIL })),
    );
    const done = await take(
      ndjson(
        token('t', { account_email: EMAIL, last_used_at: 1600000000 }),
        token('t', { account_id: null, account_email: 'other@mail.example' }),
        token('t', { account_id: OTHER_ACCOUNT }),
        token('t', { client_id: OTHER_APP }),
        token('t', { last_used_at: 1500000000 }),
        {
          ...app,
          name: 'Renamed',
          callback_urls: 'https://a.example/',
          client_secret: 'a-secret-of-the-app',
        },
        { ...app, name: 'Renamed twice' },
        { ...app, name: 'Renamed', owner_email: 'thief@a.example' },
      ),
    );
    expect(counts(done)).toEqual([0, 1, 2, 5]);
    const other = 'already belongs to another account';
    expect(done.refusals).toEqual([
      countOf('account_email or account_id', other, [2, 3]),
      countOf('access_token or access_token_sha256', 'already belongs to another app', [4]),
      countOf('name', 'the file names the app differently before', [7]),
      countOf('owner_email or owner_account_id', other, [8]),
    ]);
    expect(await mappings()).toMatchObject([
      {
        account_id: ACCOUNT,
        account_email: EMAIL,
        last_used_at: 1600000000000,
        client_id: APP,
        state: 'unmapped',
      },
    ]);
    await place.db.updateTable('mappings').set({ state: 'revoked' }).execute();
    expect(counts(await take(ndjson(token('t', { last_used_at: 1700000000 }))))).toEqual([0, 1, 0, 0]);
    expect(await mappings()).toMatchObject([{ state: 'revoked', last_used_at: 1600000000000 }]);
  });

  test('tokens stand at once on the grant of their app and account, also when a later file pairs its ids', async () => {
    await take(ndjson(app, token('early', { account_id: LEGACY }), token('named')));
    await insertGrant(place.db, grantRow('g1', { client_id: APP, account_id: ACCOUNT }));
    await take(ndjson(token('late')));
    expect(await states()).toEqual({
      earl: ['unmapped', null],
      name: ['active', 'g1'],
      late: ['active', 'g1'],
    });
    await take(ndjson({ type: 'account', legacy_id: LEGACY, modern_id: ACCOUNT }));
    expect((await states())['earl']).toEqual(['active', 'g1']);
    expect(counts(await take(ndjson(token('early', { account_id: LEGACY }), token('late'))))).toEqual([
      0, 2, 0, 0,
    ]);
  });

  test('pairs that contradict others are refused', async () => {
    const done = await take(
      ndjson(
        pair('l1', { email: EMAIL }),
        pair('l1', { email: 'other@mail.example' }),
        pair('l1', { modern_id: 'm1' }),
        pair('l1', { modern_id: 'm2' }),
        pair('l2', { modern_id: 'm1' }),
        { type: 'profile', legacy_id: 'l2', modern_id: 'm1' },
      ),
    );
    expect(counts(done)).toEqual([2, 0, 1, 3]);
    expect(refusals(done).map(({ line }) => line)).toEqual([2, 4, 5]);
  });
});
