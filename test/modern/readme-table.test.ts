import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';

interface Row {
  section: string;
  statement: string;
  tests: string;
}

const readme = readFileSync(join(__dirname, 'README.md'), 'utf8');

/** The cells of every table of the README that has this head. */
function cellsBelow(head: RegExp): string[][] {
  const tables = readme.split(new RegExp(`\\n(?=${head.source}\\n)`)).slice(1);
  const lines = tables.flatMap((table) => table.split('\n\n')[0]?.split('\n').slice(2) ?? []);
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const rows = cellsBelow(/\| \w+ \| Statement \| Test \|/).map(
  ([section = '', statement = '', tests = '']): Row => ({ section, statement, tests }),
);
const excused = cellsBelow(/\| Row \| Why no test of its own \|/);
const named = rows.flatMap(({ section, tests }) =>
  tests.split(' <br> ').map((entry) => {
    const [, file = '', title = ''] = /^`([^`]+)` › (.+)$/.exec(entry) ?? [];
    return { section, entry, file, title };
  }),
);

/** `U 1–3` and `B 38, 39` are rows of docs/threats.md: each number counts by itself. */
function numbersOf(section: string): string[] {
  const [, letter, list = ''] = /^([ATRUBCD]) (\d[\d, –]*)$/.exec(section) ?? [];
  if (letter === undefined) return [section];
  return list.split(', ').flatMap((part) => {
    const [first = 0, last = first] = part.split('–').map(Number);
    return Array.from({ length: last - first + 1 }, (_none, index) => `${letter} ${first + index}`);
  });
}

interface Node {
  type: string;
  value?: unknown;
  callee?: Node;
  object?: Node;
  property?: Node;
  arguments?: Array<{ expression: Node }>;
  expressions?: Node[];
  quasis?: Array<{ cooked: string }>;
}

/** `test.each(rows)` is `test`, `each`. */
function wordsOf(callee: Node | undefined): unknown[] {
  if (callee?.type === 'Identifier') return [callee.value];
  if (callee?.type === 'CallExpression') return wordsOf(callee.callee);
  return callee?.type === 'MemberExpression' ? [...wordsOf(callee.object), callee.property?.value] : [];
}

function textOf(node: Node | undefined): unknown {
  return node?.type === 'TemplateLiteral' ? node.quasis?.map(({ cooked }) => cooked).join('') : node?.value;
}

const OFF = ['skip', 'todo'];

/** The titles of the tests that run, whatever stands in comments, in strings or behind a skip. */
function titlesIn(node: unknown): unknown[] {
  if (typeof node !== 'object' || node === null) return [];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a tree of any shape
  const { callee, arguments: given } = node as Node;
  const [first, ...more] = wordsOf(callee);
  if (more.some((word) => OFF.includes(String(word)))) return [];
  const below = Object.values(node).flatMap(titlesIn);
  return first === 'test' || first === 'it' ? [textOf(given?.[0]?.expression), ...below] : below;
}

const known = new Map<string, unknown[]>();

function holds(file: string, title: string): boolean {
  const path = join(__dirname, file);
  if (!existsSync(path) || title === '') return false;
  const titles = known.get(path) ?? titlesIn(parseSync(readFileSync(path, 'utf8'), { syntax: 'typescript' }));
  known.set(path, titles);
  return titles.includes(title);
}

const range = (letter: string, first: number, last: number) => numbersOf(`${letter} ${first}–${last}`);

/** The rows of docs/threats.md that a server of tokens can meet: letter, first and last number. */
const THREATS: Array<[letter: string, first: number, last: number]> = [
  ['A', 1, 21],
  ['T', 1, 14],
  ['R', 1, 10],
  ['U', 1, 34],
  ['B', 35, 52],
  ['C', 53, 75],
  ['D', 76, 89],
];

/** The numbered statements and rows that are the modern generation's. */
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
  '1.6 ': ['PKCE', 'verifier', 'state', 'iss', 'no downgrade', 'no secret in an address'],
  '1.6 re': ['fresh tokens', 'directs and TLS'],
  '1.6 f': ['orwarding headers'],
  '1.6 d': ['enial and 401'],
  '1.7 ': ['RFC 7009', 'other apps', 'outage'],
  'RFC ': ['7662'],
  '': THREATS.flatMap((one) => range(...one)),
}).flatMap(([section, statements]) => statements.map((statement) => section + statement));

test('every statement of the specification has a row or a reason', () => {
  const sections = [...rows.map(({ section }) => section), ...excused.map(([section = '']) => section)];
  const present = sections.flatMap(numbersOf);
  expect(SECTIONS.filter((section) => !present.includes(section))).toEqual([]);
  expect(present.filter((section, index) => present.indexOf(section) !== index)).toEqual([]);
});

test('no cell is empty', () => {
  const cells = [...rows.map((row) => Object.values(row)), ...excused];
  expect(cells.filter((row) => row.length < 2 || row.includes(''))).toEqual([]);
});

test('every test that is named exists under its name and runs', () => {
  const missing = named.filter(({ file, title }) => !holds(file, title));
  expect(missing.map(({ section, entry }) => `${section}: ${entry}`)).toEqual([]);
});
