// Every reason that a comment, a test title or a document cites is in the repository or in a public standard:
// `docs/threats.md C74`, `docs/old-api.md Q8`, `docs/decisions/0003`, `RFC 6749 §5.2`. Also every test that docs/threats.md
// names is there, under the title that stands beside it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');

function below(folder, pattern) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .toSorted();
}

/** What people write. This file and its test name wrong references on purpose. */
const code = ['src', 'test', 'scripts', 'db']
  .flatMap((folder) => below(folder, /\.(ts|mjs|cjs|js|sql)$/))
  .concat(readdirSync(root).filter((name) => /\.(mjs|cjs)$/.test(name)))
  .filter((path) => !/check-references\b/.test(path));
const documents = readdirSync(root)
  .filter((name) => name.endsWith('.md'))
  .concat(below('docs', /\.md$/), below('db', /\.md$/), below('test', /\.md$/));

/** Texts that are no part of the repository, and standards without the sign that leads to their section. */
const NOWHERE = [
  [/\bdesign(?:\.md)? \d/i, 'names a design that is not here'],
  [/\bquirks? Q?\d/i, 'names a quirk without its document: write docs/old-api.md Q8'],
  [/\b(?:hardening|protocol) (?:rows?|findings?|tables?|[A-Z]?\d)/i, 'name the row: docs/threats.md C74'],
  [/\bstyle rule\b/i, 'names a rule that is not here'],
  [
    /\b(?:legacy-api|modern-api|hardening|correctness|protocol|specification|facts\/[a-z-]+)\.md\b/,
    'is not here',
  ],
  [/\b(?:legacy-api|modern-api|correctness|specification) [A-Z]?\d/i, 'names a text that is not here'],
  [/\b(?:issue|finding) [A-Z]?\d+\b/i, 'give the reason itself'],
  [/\bRFC \d{3,5},? (?:sections? )?\d/, 'write the section of an RFC as RFC 6749 §5.2'],
];

const COMMENT = {
  code: { whole: /^\s*(?:\/\/|\/\*\*?|\*(?!\/))(.*)$/, behind: / \/\/ (.*)$/ },
  sql: { whole: /^\s*--(.*)$/, behind: / -- (.*)$/ },
};

/** The text of comments, a block of lines as one text, each with its first line. */
function commentsOf(text, { whole, behind }) {
  const found = [];
  let block;
  for (const [index, line] of text.split('\n').entries()) {
    const said = whole.exec(line)?.[1];
    const alone = said === undefined ? behind.exec(line)?.[1] : undefined;
    if (said !== undefined && block) block.text += ` ${said.trim()}`;
    else if (said !== undefined) found.push((block = { line: index + 1, text: said.trim() }));
    else block = undefined;
    if (alone !== undefined) found.push({ line: index + 1, text: alone });
  }
  return found;
}

const lineOf = (text, at) => text.slice(0, at).split('\n').length;

/** Titles of tests and of their cases that begin with a row or a quirk. */
function titlesOf(text) {
  return [...text.matchAll(/(?:\(|\[|^)\s*(['"`])((?:rows? )?[A-Z]\d+\b.*?)\1,/gm)]
    .filter(([, , title]) => /^(?:rows? )?(?:[A-GRTU]|Q)\d+(?:, [A-Z]\d+)*(?: and [A-Z]\d+)? /.test(title))
    .map((match) => ({ line: lineOf(text, match.index), text: match[2] }));
}

const anchors = new Map();

function hasAnchor(path, id) {
  if (!existsSync(join(root, path))) return false;
  if (!anchors.has(path))
    anchors.set(path, new Set([...read(path).matchAll(/<a id="([^"]+)">/g)].map(([, one]) => one)));
  return anchors.get(path).has(id.toLowerCase());
}

const decisions = existsSync(join(root, 'docs/decisions')) ? readdirSync(join(root, 'docs/decisions')) : [];
const IDS = /^(?:,? (?:and |to )?[A-Z]\d+)+/;
let counted = 0;

/** Why a citation of a document leads nowhere. */
function citedProblems(text) {
  const problems = [];
  for (const match of text.matchAll(
    /\b(docs|db|test)\/[\w/-]+\.md\b|\b(?:ARCHITECTURE|CONTRIBUTING|SECURITY)\.md\b/g,
  )) {
    const [path] = match;
    const ids = IDS.exec(text.slice(match.index + path.length))?.[0].match(/[A-Z]\d+/g) ?? [];
    counted += Math.max(ids.length, 1);
    if (!existsSync(join(root, path))) problems.push(`${path} is not there`);
    else problems.push(...ids.filter((id) => !hasAnchor(path, id)).map((id) => `${path} has no ${id}`));
  }
  for (const [whole, number] of text.matchAll(/\bdocs\/decisions\/(\d{4})\b/g)) {
    counted += 1;
    if (!decisions.some((name) => name.startsWith(`${number}-`))) problems.push(`${whole} is not there`);
  }
  counted += [...text.matchAll(/\bRFC \d{3,5}\b/g)].length;
  return problems;
}

const documentOf = (id) => (id.startsWith('Q') ? 'docs/old-api.md' : 'docs/threats.md');

function titleProblems({ text }) {
  const ids = /^(?:rows? )?((?:[A-Z]\d+(?:, | and )?)+)/.exec(text)?.[1].match(/[A-Z]\d+/g) ?? [];
  counted += ids.length;
  return ids.filter((id) => !hasAnchor(documentOf(id), id)).map((id) => `${documentOf(id)} has no ${id}`);
}

const nowhere = (text) =>
  NOWHERE.flatMap(([pattern, why]) => {
    const found = pattern.exec(text)?.[0];
    return found === undefined ? [] : [`“${found}”: ${why}`];
  });

function codeProblems(path) {
  const text = read(path);
  const comments = commentsOf(text, path.endsWith('.sql') ? COMMENT.sql : COMMENT.code);
  const titles = path.endsWith('.test.ts') ? titlesOf(text) : [];
  const at =
    ({ line }) =>
    (problem) =>
      `${path}:${line}: ${problem}`;
  return [
    ...comments.flatMap((one) => [...nowhere(one.text), ...citedProblems(one.text)].map(at(one))),
    ...titles.flatMap((one) => [...nowhere(one.text), ...titleProblems(one)].map(at(one))),
  ];
}

function documentProblems(path) {
  const lines = read(path).split('\n');
  return lines.flatMap((line, index) =>
    [...nowhere(line), ...citedProblems(line)].map((problem) => `${path}:${index + 1}: ${problem}`),
  );
}

/** Each test that a row names: its file, and its title where one is given. */
function shownProblems() {
  const path = 'docs/threats.md';
  if (!existsSync(join(root, path))) return [];
  return [...read(path).matchAll(/`([\w./-]+\.ts)`(?: › (.+?))?(?= <br> | \|$)/gm)].flatMap(
    ([, file, title]) => {
      counted += 1;
      if (!existsSync(join(root, 'test', file))) return [`${path}: test/${file} is not there`];
      const has =
        title === undefined || read(join('test', file)).replaceAll(String.raw`\'`, "'").includes(title);
      return has ? [] : [`${path}: test/${file} has no test “${title}”`];
    },
  );
}

const problems = [...code.flatMap(codeProblems), ...documents.flatMap(documentProblems), ...shownProblems()];
console.log(problems.length > 0 ? problems.join('\n') : `${counted} references`);
process.exitCode = problems.length > 0 ? 1 : 0;
