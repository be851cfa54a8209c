import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  importFile,
  type ImportResult,
  type ImportProgress,
} from '../../src/domain/import/reading/import-file.ts';
import { type History, openHistory } from '../domain/support/histories.ts';
import { databaseKinds } from '../store/support/stores.ts';

/** What an import says of the rows that it refuses, and how many of them it bears. */

const APP = 'a'.repeat(24);
const OTHER_APP = 'b'.repeat(24);
const ACCOUNT = 'c'.repeat(24);
const OTHER_ACCOUNT = 'd'.repeat(24);
const LEGACY = 'e'.repeat(24);

const app = { type: 'app', client_id: APP, name: 'An App', owner_email: 'owner@app.example' };
const token = (name: string, more: object = {}) => ({
  type: 'token',
  access_token: `1/${name.padEnd(32, '0')}`,
  client_id: APP,
  account_id: ACCOUNT,
  ...more,
});
const accountPair = (legacy: string, more: object) => ({ type: 'account', legacy_id: legacy, ...more });
const secret = (name: string) => ({ ...app, client_secret: `${name}-secret-of-the-app` });
const ndjson = (...rows: Array<object | string>) =>
  rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join('');
const counts = ({ new: added, known, changed, refused }: ImportResult) => [added, known, changed, refused];
const refusals = ({ report }: ImportResult) =>
  (report === null ? '' : readFileSync(report, 'utf8')).split('\n').filter(Boolean);

describe.each(databaseKinds)('on %s', (kind) => {
  let place: History;

  beforeEach(async () => {
    place = await openHistory(kind);
  });

  afterEach(async () => {
    await place.close();
  });

  const requestOf = (file: string) => ({
    file,
    folder: join(place.varDir, 'imports'),
    isDryRun: false,
    origin: { actor: 'test', requestId: null },
    onProgress: () => {},
  });
  const take = (content: string): Promise<ImportResult> => {
    const file = join(place.varDir, 'file');
    writeFileSync(file, content);
    return importFile(place.context, requestOf(file));
  };
  const tokens = () => place.db.selectFrom('mappings').selectAll().orderBy('id').execute();

  test('with a limit of refused rows the whole file is tried first: above it nothing is changed', async () => {
    const unknown = token('x', { client_id: OTHER_APP });
    const file = join(place.varDir, 'file');
    writeFileSync(file, ndjson(token('good'), unknown, app, '{', unknown));
    const limited = (maxRefused: number) => importFile(place.context, { ...requestOf(file), maxRefused });
    const untouched = [await place.rows(), await tokens()];
    const stopped = await limited(2);
    expect([stopped.written, ...counts(stopped)]).toEqual([false, 2, 0, 0, 3]);
    expect(refusals(stopped)).toHaveLength(3);
    expect([await place.rows(), await tokens()]).toEqual(untouched);
    expect(await place.db.selectFrom('apps').select('name').execute()).toEqual([]);
    const told: ImportProgress[] = [];
    const within = await importFile(place.context, {
      ...requestOf(file),
      maxRefused: 3,
      onProgress: (now) => told.push(now),
    });
    expect([within.written, ...counts(within)]).toEqual([true, 2, 0, 0, 3]);
    expect(refusals(within)).toHaveLength(3);
    const bytes = told.map((progress) => progress.bytes);
    expect(bytes).toEqual(bytes.toSorted((a, b) => a - b));
    expect(bytes.at(-1)).toBe(told.at(-1)?.totalBytes);
    // One report of each import that was asked for, and nothing of the trial.
    const kept = readdirSync(join(place.varDir, 'imports')).map((name) =>
      join(place.varDir, 'imports', name),
    );
    expect(kept.toSorted()).toEqual([stopped, within].map(({ report }) => String(report)).toSorted());
    expect(counts(await limited(3))).toEqual([0, 2, 0, 3]);
  });

  test('an import, or a trial, that refuses nothing leaves no report', async () => {
    const file = join(place.varDir, 'file');
    writeFileSync(file, ndjson(app, token('good')));
    const folder = join(place.varDir, 'imports');
    for (const more of [{ isDryRun: true }, { maxRefused: 0 }, {}]) {
      const done = await importFile(place.context, { ...requestOf(file), ...more });
      expect([done.refused, done.report, readdirSync(folder)]).toEqual([0, null, []]);
    }
  });

  test('a refusal names the field of what is in its way, also where two rows are each sound', async () => {
    await take(ndjson(secret('one'), secret('two'), accountPair(LEGACY, { modern_id: ACCOUNT })));
    const done = await take(
      ndjson(
        secret('three'),
        accountPair(LEGACY, { modern_id: OTHER_ACCOUNT }),
        accountPair('f'.repeat(24), { modern_id: ACCOUNT }),
      ),
    );
    expect(done.refusals.map(({ field, reason }) => [field, reason])).toEqual([
      ['client_secret or client_secret_sha256', 'the app has two other secrets'],
      ['legacy_id', 'is paired with another modern id'],
      ['modern_id', 'is paired with another legacy id'],
    ]);
  });

  test('a weak token is counted where its row is refused for another field, and one that is no token is not', async () => {
    const weak = { access_token: 'aaaaaaaaaaaaaaaa' };
    const done = await take(
      ndjson(
        app,
        token('x', { ...weak, client_id: 'x' }),
        token('x', { access_token: 'aaaa' }),
        token('y', { ...weak, client_id: OTHER_APP }),
        token('z', weak),
      ),
    );
    expect(counts(done)).toEqual([2, 0, 0, 3]);
    expect(done.weakTokens).toEqual({ count: 3, lines: [2, 4, 5] });
  });
});
