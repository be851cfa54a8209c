import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Row {
  section: string;
  statement: string;
  tests: string;
}

const readme = readFileSync(join(__dirname, 'README.md'), 'utf8');

/** The rows of every table of the README whose last column is `Test`. */
function tableRows(): Row[] {
  const tables = readme.split(/\n(?=\| \w+ \| Statement \| Test \|\n)/).slice(1);
  return tables.flatMap(
    (table) =>
      table
        .split('\n\n')[0]
        ?.split('\n')
        .slice(2)
        .map((line) => {
          const [section = '', statement = '', tests = ''] = line.split('|').slice(1, -1);
          return { section: section.trim(), statement: statement.trim(), tests: tests.trim() };
        }) ?? [],
  );
}

const rows = tableRows();
const named = rows.flatMap(({ section, tests }) =>
  tests.split(' <br> ').map((entry) => {
    const [, file = '', title = ''] = /^`([^`]+)` › (.+)$/.exec(entry) ?? [];
    return { section, entry, file, title };
  }),
);
const open = named.filter(({ entry }) => entry.startsWith('TODO('));

function holds(file: string, title: string): boolean {
  const path = join(__dirname, file);
  if (!existsSync(path)) return false;
  const source = readFileSync(path, 'utf8');
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`));
}

/** The numbered statements and rows of the specification that are the modern generation's. */
const SECTIONS = Object.entries({
  '1.': ['1', '2', '3', '4'],
  '2 ': ['account', 'organization', 'channel', 'post, idea, snippet', 'token response'],
  '4.': ['1', '2 /auth', '2 /token'],
  '5.1.': ['1', '2', '3', '4', '5', '6', '7', '8'],
  '5.2 ': ['flow', 'confidential', 'public', 'redirect URI', 'sequence'],
  '5.3 ': ['client_id', 'redirect_uri', 'response_type', 'scope', 'state', 'prompt'],
  '5.3 code_': ['challenge', 'challenge_method', 'verifier'],
  '5.4 ': ['approval', 'denial', 'state'],
  '5.5 ': ['client_id', 'client_secret', 'grant_type', 'code', 'redirect_uri', 'code_verifier'],
  '5.6 ': ['access_token', 'refresh_token', 'token_type', 'expires_in', 'scope', 'use'],
  '5.7 ': ['client_id', 'client_secret', 'grant_type', 'refresh_token'],
  '5.7.': ['1', '2', '3'],
  '5.8 ': ['posts', 'ideas', 'account', 'snippets']
    .flatMap((name) => [`${name}:read`, `${name}:write`])
    .concat('offline_access'),
  '5.9 ': ['revoking', 'effect', 'after it'],
  '7 ': ['main API', 'authorization', 'token exchange'],
  '7 invalid_': ['request', 'client', 'grant', 'scope'],
  '7 access_': ['denied'],
  '8 ': ['access token', 'refresh token', 'code_verifier'],
}).flatMap(([section, statements]) => statements.map((statement) => section + statement));

test('every statement of the specification has a row', () => {
  const present = new Set(rows.map(({ section }) => section));
  expect(SECTIONS.filter((section) => !present.has(section))).toEqual([]);
});

test('no cell is empty', () => {
  expect(rows.filter((row) => Object.values(row).includes(''))).toEqual([]);
});

test('every test that is named exists under its name', () => {
  const missing = named.filter((entry) => !open.includes(entry) && !holds(entry.file, entry.title));
  expect(missing.map(({ section, entry }) => `${section}: ${entry}`)).toEqual([]);
});

test('no test is still to be named', () => {
  expect(open.map(({ section, entry }) => `${section}: ${entry}`)).toEqual([]);
});
