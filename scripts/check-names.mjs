// `npm run check -- names`: a name of `src` says what a thing is, and one name stands for one thing. Refused are types
// named by a bare participle or by a word without a subject, and the same exported name in two files.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Single words that are participles or mere pointers. `Asked` alone says nothing; `ExchangeRequest` does. */
const REFUSED = new Set(
  `About Already Asked Broken Chosen Done Drawn Due Found From Given Gone Held Hidden Kept Known Learnt Left Lost Made
   Maybe Met Need Once Open Ours Parts Place Read Said Seen Sent Shown Taken Tell Told What Where Who Whose Written`
    .split(/\s+/)
    .filter(Boolean),
);
/** Nouns that end like participles. */
const NOUNS = new Set(['Keyring', 'Mapping', 'Tampering', 'Timing', 'Feed', 'Seed', 'String']);

const isVague = (name) => REFUSED.has(name) || (/^[A-Z][a-z]+(ed|ing)$/.test(name) && !NOUNS.has(name));

const DECLARATION =
  /^(export )?(?:declare )?(?:abstract )?(interface|type|class|enum|const|let|(?:async )?function\*?) (\w+)/gm;

function declarationsOf(path) {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(DECLARATION)].map(([, isExported, kind, name]) => ({
    path,
    name,
    isExported: Boolean(isExported),
    isType: kind === 'interface' || kind === 'type',
  }));
}

function repeated(declarations) {
  const filesOf = new Map();
  for (const { name, path } of declarations.filter((one) => one.isExported))
    filesOf.set(name, (filesOf.get(name) ?? new Set()).add(path));
  return [...filesOf].filter(([, files]) => files.size > 1);
}

const declarations = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  .toSorted()
  .flatMap(declarationsOf);

const findings = [
  ...declarations
    .filter(({ isType, name }) => isType && isVague(name))
    .map(({ path, name }) => `${path}: the type ${name} is not named by what it is`),
  ...repeated(declarations).map(([name, files]) => `${name} is exported by ${[...files].join(' and ')}`),
];
console.log(findings.join('\n') || `${declarations.length} names`);
process.exitCode = findings.length === 0 ? 0 : 1;
