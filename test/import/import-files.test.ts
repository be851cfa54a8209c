import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { importFile, type ImportRequest } from '../../src/domain/import/reading/import-file.ts';
import { spool } from '../../src/domain/import/reading/spool.ts';
import { type History, openHistory } from '../domain/support/histories.ts';

/** CSV, files in which nothing can be read, and what can be read only once. */

const APP = 'a'.repeat(24);
const OTHER_APP = 'b'.repeat(24);
const ACCOUNT = 'c'.repeat(24);

let place: History;

beforeAll(async () => {
  place = await openHistory('sqlite');
});

afterAll(async () => {
  await place.close();
});

const importFrom = (file: string, more: Partial<ImportRequest> = {}) =>
  importFile(place.context, {
    file,
    folder: join(place.varDir, 'imports'),
    isDryRun: false,
    origin: { actor: 'test', requestId: null },
    onProgress: () => {},
    ...more,
  });

test('CSV with quotes over lines; a quote that is never closed costs its own line alone', async () => {
  const columns =
    'type,client_id,name,callback_urls,owner_email,access_token,account_id,legacy_id,modern_id,notes';
  const content = [
    columns,
    `app,${APP},"An ""App"", of old",https://a.example/1 https://a.example/2,o@a.example,,,,,`,
    `token,${APP},,,,1/${'1'.repeat(32)},${ACCOUNT},,,`,
    `app,${OTHER_APP},"Never closed,,o@a.example,,,,,`,
    `token,${APP},,,,1/${'2'.repeat(32)},${ACCOUNT},,,`,
    '',
    `app,${OTHER_APP},"over`,
    'two lines",,o@a.example,,,,,',
    'profile,,,,,,,p1',
    `token,${APP},,,,1/${'3'.repeat(32)},${ACCOUNT},,,"of two`,
    '',
    'lines, with ""quotes"""',
    `token,${APP},,,`,
  ].join('\r\n');
  const file = join(place.varDir, 'file.csv');
  writeFileSync(file, content);
  const done = await importFrom(file);
  const lines = readFileSync(String(done.report), 'utf8').split('\n').filter(Boolean);
  const refused = lines.map((line) => JSON.parse(line) as { line: number });
  expect(refused.toSorted((a, b) => a.line - b.line)).toEqual([
    { line: 4, reason: 'its quotes are not as CSV has them' },
    { line: 7, reason: 'holds characters that cannot be shown', field: 'name' },
    { line: 9, reason: 'not as many columns as the first line names' },
    { line: 13, reason: 'the last line is cut off' },
  ]);
  expect(done).toMatchObject({ new: 4, known: 0, changed: 0, refused: 4 });
  expect(done.unknownFields).toEqual(['notes']);
  const apps = await place.db.selectFrom('apps').select('name').execute();
  expect(apps).toEqual([{ name: 'An "App", of old' }]);
});

test.each([
  ['that is cut in its last cell', '4', 3],
  ['that is cut in a cell over two lines', '4,"of\ntwo"', 4],
  ['with a line end', '4,\n', null],
  ['whose first rows end otherwise', '4,\r', 3],
  ['with an empty line at its end', '4,\n\r\n', null],
])('CSV %s: its last row is taken, and told where no line end follows', async (_what, end, unendedLine) => {
  const file = join(place.varDir, 'cut.csv');
  const columns = end === '4' ? 'type,legacy_id,modern_id' : 'type,legacy_id,modern_id,notes';
  writeFileSync(file, `${columns}\nprofile,cut1,m1${end === '4' ? '' : ','}\nprofile,cut2,m${end}`);
  expect(await importFrom(file, { isDryRun: true })).toMatchObject({ new: 2, refused: 0, unendedLine });
});

test('two lines that CR and LF part are no line ends of CR alone', async () => {
  const file = join(place.varDir, 'two.csv');
  writeFileSync(file, 'type,legacy_id,modern_id\r\nprofile,two1,m1');
  expect(await importFrom(file, { isDryRun: true })).toMatchObject({ new: 1, unendedLine: 2 });
});

test('a row of NDJSON is whole without a line end, for it has an end of its own', async () => {
  const file = join(place.varDir, 'whole.ndjson');
  writeFileSync(file, '{"type":"profile","legacy_id":"whole1","modern_id":"m1"}');
  expect(await importFrom(file, { isDryRun: true })).toMatchObject({ new: 1, unendedLine: null });
});

test.each(['type,legacy_id,modern_id\rprofile,mac1,m1\r', '{"type":"profile"}\r{"type":"profile"}\r'])(
  'line ends of CR alone are refused with the reason',
  async (content) => {
    const file = join(place.varDir, 'mac.txt');
    writeFileSync(file, content);
    await expect(importFrom(file)).rejects.toThrow(`${file} has line ends of CR alone`);
  },
);

test('a column of CSV is named whatever its name is, without what looks like a secret', async () => {
  const file = join(place.varDir, 'columns.csv');
  const columns = `type,client_id,name,owner_email,client-secret,callback urls,secret2,1/${'5'.repeat(32)},email`;
  writeFileSync(file, `${columns}\napp,${OTHER_APP},Columns,o@a.example,s,u,s,s,e@a.example\n`);
  const { unknownFields, hiddenFields } = await importFrom(file);
  const named = ['client-secret', 'callback urls', 'secret2', '[redacted]', 'email in rows of type app'];
  expect([unknownFields, hiddenFields]).toEqual([named, 0]);
});

const NO_HEADER = 'is neither NDJSON nor CSV whose first line names its columns, "type" among them';

test.each<[string, string | Buffer, string]>([
  ['gzip', gzipSync('{}'), 'is packed with gzip; unpack it first'],
  [
    'a spreadsheet',
    'PK\u0003\u0004',
    'is a zip archive or a spreadsheet; unpack it, or export it as CSV, first',
  ],
  ['UTF-16', Buffer.from('\u{FEFF}{}', 'utf16le'), 'is UTF-16; save it as UTF-8 first'],
  ['nothing', '', 'is empty'],
  ['blank lines', '\u{FEFF}\n \r\n', 'is empty'],
  ['one list', '[{"type":"app"}]', 'is one JSON list; write each of its objects on a line of its own'],
  ['no header', '1/0123456789abcdef,me\n', NO_HEADER],
  ['an open quote', '"type,client_id\n', NO_HEADER],
  ['the same column twice', 'type,name,name\n', 'is CSV whose first line names a column twice'],
])(
  'a file that is %s is refused as a whole, in words that repeat nothing of it',
  async (_, content, problem) => {
    const file = join(place.varDir, 'file');
    writeFileSync(file, content);
    await expect(importFrom(file)).rejects.toThrow(new Error(`${file} ${problem}`));
  },
);

test('a folder and a file that is not there are named', async () => {
  const folder = join(place.varDir, 'folder');
  mkdirSync(folder);
  await expect(importFrom(folder)).rejects.toThrow(`${folder} is a folder`);
  await expect(importFrom('/nowhere/at-all')).rejects.toThrow('/nowhere/at-all does not exist');
});

test('what is read once is kept without a name and can be read again', async () => {
  const folder = mkdtempSync(join(place.varDir, 'spool-'));
  const pieces = ['one ', 'two ', 'three'].map((text) => Buffer.from(text));
  async function* input() {
    yield* pieces;
  }
  const spooled = await spool(input(), folder);
  try {
    expect(readdirSync(folder)).toEqual([]);
    for (let time = 1; time <= 2; time += 1) {
      const read: Buffer[] = [];
      for await (const piece of spooled.read()) read.push(piece);
      expect(Buffer.concat(read).toString()).toBe('one two three');
    }
  } finally {
    await spooled.close();
    rmSync(folder, { recursive: true });
  }
});

describe('a file that is changed while it is read is refused, and nothing of it is lost without a word', () => {
  const rows = ['f', '0']
    .map((digit) => digit.repeat(24))
    .flatMap((client_id) => [
      { type: 'app', client_id, name: 'Changing', owner_email: 'o@a.example' },
      { type: 'token', access_token: `1/${client_id}`, client_id, account_id: ACCOUNT },
    ]);
  const content = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const anew = 'Run the same import again once the file is whole';

  test.each<[string, (file: string) => void]>([
    ['cut', (file) => truncateSync(file, 10)],
    ['made longer', (file) => appendFileSync(file, content)],
    ['written anew with as many bytes', (file) => utimesSync(file, 1, 1)],
  ])('%s', async (_, change) => {
    const file = join(place.varDir, 'changing');
    const during = () => {
      writeFileSync(file, content);
      let isDone = false;
      return (now: { bytes: number }) => {
        if (now.bytes === 0 || isDone) return;
        isDone = true;
        change(file);
      };
    };
    await expect(importFrom(file, { isDryRun: true, onProgress: during() })).rejects.toThrow(
      `${file} was changed while it was read. Nothing was imported. ${anew}`,
    );
    await expect(importFrom(file, { onProgress: during() })).rejects.toThrow(
      `${file} was changed while it was read. Rows that were imported stay. ${anew}`,
    );
  });
});

test('of a short token nothing is kept that would reveal it', async () => {
  const file = join(place.varDir, 'short');
  const account_id = 'short-token';
  const rows = ['5up3r-Secret-001', 'one-more-Secret-01'].map((access_token) => {
    return { type: 'token', access_token, client_id: APP, account_id };
  });
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  expect(await importFrom(file)).toMatchObject({ new: 2 });
  const query = place.db.selectFrom('mappings').select(['hint_first', 'hint_last']);
  const hints = await query.where('account_id', '=', account_id).orderBy('id').execute();
  expect(new Set(hints)).toEqual(
    new Set([
      { hint_first: null, hint_last: null },
      { hint_first: 'one-', hint_last: 't-01' },
    ]),
  );
});
