import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { projectRoot } from '../../src/shared/project-root.ts';
import { readDocument } from '../support/guidance.ts';

/** Every relative link and every anchor in the documents leads somewhere. */

const isDocument = (name: string) => name.endsWith('.md');
const below = (folder: string) =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter(isDocument)
    .map((name) => join(folder, name));
const documents = [
  ...readdirSync(projectRoot).filter(isDocument),
  ...below('docs'),
  ...below('db'),
  ...below('test'),
];

/** Text without code: a link in an example is no link. */
const proseOf = (text: string) => text.replaceAll(/^```[^]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, 'code');

/** The anchor that a heading gets: lower case, without punctuation, hyphens in the place of blanks. */
const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

function anchorsOf(text: string): Set<string> {
  const anchors = new Set([...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id));
  const prose = text.replaceAll(/^```[^]*?^```$/gm, '');
  for (const [, heading = ''] of prose.matchAll(/^#+ (.+)$/gm)) {
    const slug = slugOf(heading);
    let times = 0;
    while (anchors.has(times === 0 ? slug : `${slug}-${times}`)) times += 1;
    anchors.add(times === 0 ? slug : `${slug}-${times}`);
  }
  return anchors;
}

/** Why a link leads nowhere; undefined for one that is sound. */
function faultOf(document: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? document : normalize(join(dirname(document), path));
  if (!existsSync(join(projectRoot, target))) return `${document}: ${target} is missing`;
  if (anchor === undefined || statSync(join(projectRoot, target)).isDirectory()) return undefined;
  return anchorsOf(readDocument(target)).has(anchor) ? undefined : `${document}: ${target} has no #${anchor}`;
}

const linksOf = (document: string) =>
  [...proseOf(readDocument(document)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link));

test('every relative link of a document leads to a file, and its anchor to a heading', () => {
  const links = documents.flatMap((document) => linksOf(document).map((link) => [document, link] as const));
  expect(links.length).toBeGreaterThan(50);
  expect(links.flatMap(([document, link]) => faultOf(document, link) ?? [])).toEqual([]);
});

test('docs/README.md lists every document, or the list of its folder', () => {
  const listed = linksOf('docs/README.md').map((link) => normalize(join('docs', link)));
  const isListed = (path: string) =>
    listed.includes(path) || listed.includes(join(dirname(path), 'README.md'));
  const unlisted = below('docs').filter((path) => path !== 'docs/README.md' && !isListed(path));
  expect(unlisted).toEqual([]);
});

/** Text with gaps, such as `db/*.sql`, `NNN-name.sql` or `NAME.ts`, names no single file. */
const isPattern = (path: string) => /[*{…]|NNN|NAME/.test(path);
/** A decision may be named by its number alone. */
const isThere = (path: string) =>
  existsSync(join(projectRoot, path)) ||
  documents.some((document) => /^docs\/decisions\/\d{4}$/.test(path) && document.startsWith(`${path}-`));

test('every file and folder that a document names is there', () => {
  const named = documents.flatMap((document) =>
    [...readDocument(document).matchAll(/`((?:src|test|scripts|db|docs|\.ci)\/[^`\s]*)`/g)].map(
      ([, path = '']) => ({ document, path }),
    ),
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter(({ path }) => !isPattern(path) && !isThere(path))).toEqual([]);
});

test('every script of npm that a document names is there', () => {
  const { scripts } = JSON.parse(readDocument('package.json')) as { scripts: Record<string, string> };
  const run = documents.flatMap((document) =>
    [...readDocument(document).matchAll(/npm run ([\w:-]+)/g)].map(([, script = '']) => ({
      document,
      script,
    })),
  );
  expect(run.length).toBeGreaterThan(10);
  expect(run.filter(({ script }) => scripts[script] === undefined)).toEqual([]);
});
