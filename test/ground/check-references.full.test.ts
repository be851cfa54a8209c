import { createProject, type Project, runNode } from './ready-project.ts';

/** `npm run check` finds a cited reason that neither the repository nor a public standard holds. */

let project: Project;

const THREATS = `| row | tried | what happens | shown by (below \`test/\`) |
|---|---|---|---|
| <a id="c74"></a>C74 | a store that fails | 503 | \`store.test.ts\` › a store that fails is 503 |
| <a id="u1"></a>U1 | another case | page | \`store.test.ts\` |
`;

const check = () => runNode(project.folder, ['scripts/check-references.mjs']);

beforeEach(() => {
  project = createProject(['scripts/check-references.mjs']);
  project.write('docs/threats.md', THREATS);
  project.write('docs/old-api.md', '<a id="q8"></a>**Q8.** A suffix may be missing.\n');
  project.write('docs/decisions/0003-claim-before-write.md', '# 0003. Claimed before it is sent\n');
  project.write('test/store.test.ts', "test('a store that fails is 503', () => undefined);\n");
});
afterEach(() => project.remove());

test('rows, quirks, decisions and sections that are there pass, also where a comment breaks them over lines', async () => {
  project.write(
    'src/rule.ts',
    `/**\n * Claimed first (docs/decisions/0003), or refused (docs/threats.md\n * C74, U1 and docs/old-api.md Q8).\n */\n// RFC 6749 §5.2\n`,
  );
  project.write('test/rows.test.ts', "test('rows C74 and U1 both hold', () => undefined);\n");
  project.write('README.md', 'A suffix may be missing (docs/old-api.md Q8).\n');
  const { code, output } = await check();
  expect(output).toMatch(/^\d+ references\n$/);
  expect(code).toBe(0);
});

test.each([
  ['// (design 5)', 'names a design that is not here'],
  ['// refused (design 5, restored copies)', 'names a design that is not here'],
  ['// a quirk Q8', 'write docs/old-api.md Q8'],
  ['// hardening row 74', 'name the row'],
  ['// Hardening C74:', 'name the row'],
  ['// protocol T9', 'name the row'],
  ['// style rule 12', 'names a rule that is not here'],
  ['// legacy-api 2.1 decides', 'names a text that is not here'],
  ['// (facts/modern-api.md 5.3)', 'is not here'],
  ['// specification 5.10.5', 'names a text that is not here'],
  ['// asked for in issue 17', 'give the reason itself'],
  ['// RFC 6749 5.2', 'write the section'],
  ['// RFC 6749 section 5.2', 'write the section'],
  ['// docs/threats.md C75', 'docs/threats.md has no C75'],
  ['/** docs/threats.md C74 and C76 */', 'docs/threats.md has no C76'],
  ['/**\n * docs/threats.md\n * C77\n */', 'docs/threats.md has no C77'],
  ['// docs/old-api.md Q9', 'docs/old-api.md has no Q9'],
  ['// docs/decisions/0004', 'docs/decisions/0004 is not there'],
  ['// docs/new-api.md', 'docs/new-api.md is not there'],
])('the comment %j is found', async (comment, why) => {
  project.write('src/rule.ts', `${comment}\nexport const rule = 1;\n`);
  const { code, output } = await check();
  expect(output).toMatch(/^src\/rule\.ts:1: /);
  expect(output).toContain(why);
  expect(code).toBe(1);
});

test.each([
  ["test('row C75 a database that is locked is 503', () => undefined);", 'docs/threats.md has no C75'],
  ["test.each([\n  ['U2 another case', 'x'],\n])('row %s', () => undefined);", 'docs/threats.md has no U2'],
  ["test.each(['a'])(\n  'Q9 a list with %s',\n  () => undefined,\n);", 'docs/old-api.md has no Q9'],
])('the title in %j is found', async (text, why) => {
  project.write('test/rows.test.ts', `${text}\n`);
  const { code, output } = await check();
  expect(output).toContain(why);
  expect(code).toBe(1);
});

test('a row whose test has another title, and a document that cites what is gone, are found', async () => {
  project.write('test/store.test.ts', "test('a store that fails is 500', () => undefined);\n");
  project.write('README.md', 'Claimed first (docs/decisions/0009).\n');
  const { code, output } = await check();
  expect(output).toContain('docs/threats.md: test/store.test.ts has no test “a store that fails is 503”');
  expect(output).toContain('README.md:1: docs/decisions/0009 is not there');
  expect(code).toBe(1);
});
