import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { STANDING_WORDS } from '../../src/domain/tokens/standing/words.ts';

/**
 * One name for one thing, in what people read (docs/glossary.md): old API, new API, app, token, connect, connected,
 * waiting, stopped, moved, revoked. A synonym in a template or a sentence is found here.
 */

const SYNONYMS: ReadonlyArray<[RegExp, string]> = [
  [/\bolder (?:API|generation|apps?|programs?|account id)\b/i, 'old API, app, or old account id'],
  [/\bold (?:generation|server)\b/i, 'old API'],
  [/\b(?:modern|newer) (?:side|API|generation)\b/i, 'new API'],
  [/\blegacy (?:API|app|backend)/i, 'old API, or app'],
  [/\bsays of itself\b/i, 'calls itself'],
  [/\bpeople have still to\b|\bafter one confirmation\b/i, 'connect'],
  [/\bagree(?:s|d)? (?:once|again|by it)\b/i, 'connect, or allow'],
  [/\bhas to consent\b/i, 'connect'],
  [/\bwhat broke\b|\bconnections? (?:that )?broke\b/i, 'stopped'],
  [/\bwent on elsewhere\b|\blost on the way\b/i, 'the words of src/domain/tokens/standing/ends.ts'],
  [/\bwhat is not connected\b/i, 'an app, or a token, that is not connected'],
  [/\bconfirm (?:it once|that address|the connection)\b/i, 'allow it, or show that the address is yours'],
  [/\bmodern (?:pair|tokens?)\b|\bstored (?:its|the) pairs?\b/i, 'new tokens'],
  [/\bto consent again\b|\bconsents? again\b/i, 'connect again'],
  [/\breminder of stage\b/i, 'the days: 30-day reminder'],
  [/\b(?:was|is) kept of (?:it|them)\b/i, 'the noun again'],
  [/,? for the old API (?:is|has)\b/i, 'because the old API'],
  [/\bWhose any other token\b/i, 'a sentence that begins with its subject'],
];

/** The embedded new API and the demo have words of their own. */
const APART = /^src\/(?:modern|demo|demo-data)\//;

/** Comments are for those who read the code; code stands between the marks of a template, and its texts in quotes. */
const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

/** Texts with a blank in them. Those before a colon are keys, such as reasons that the database holds. */
const SENTENCE = /'(?:[^'\\\n]|\\.)* (?:[^'\\\n]|\\.)*'(?!:)|`(?:[^`\\]|\\.)* (?:[^`\\]|\\.)*`/g;

const textsIn = (code: string) => [...withoutComments(code).matchAll(SENTENCE)].map(([text]) => text);

const filesOf = (folder: string, end: string) =>
  readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((file) => file.endsWith(end) && !APART.test(file));

function found(text: string): string[] {
  return SYNONYMS.flatMap(([synonym, name]) => {
    const [word] = synonym.exec(text) ?? [];
    return word === undefined ? [] : [`“${word}”: write ${name}`];
  });
}

test.each(['src/http', 'src/shared', 'src/domain'])('the templates below %s use the ten names', (folder) => {
  const files = filesOf(folder, '.eta');
  expect(files.length).toBeGreaterThan(0);
  expect(files.flatMap((file) => found(readFileSync(file, 'utf8')).map((what) => `${file} ${what}`))).toEqual(
    [],
  );
});

test.each(['src/http', 'src/domain', 'src/cli'])('the sentences below %s use the ten names', (folder) => {
  const files = filesOf(folder, '.ts');
  const texts = files.flatMap((file) => textsIn(readFileSync(file, 'utf8')).map((text) => ({ file, text })));
  expect(texts.length).toBeGreaterThan(50);
  expect(texts.flatMap(({ file, text }) => found(text).map((what) => `${file} ${what}`))).toEqual([]);
});

test('the badge of a token is one of the names, or says that a test outage interrupts it', () => {
  const names = ['connected', 'waiting', 'stopped', 'moved', 'revoked', 'interrupted'];
  const labels = Object.values(STANDING_WORDS).map(({ label }) => label);
  expect(labels.filter((label) => !names.includes(label))).toEqual([]);
});

test('a synonym is found', () => {
  expect(found('Ask the older API.')).toEqual(['“older API”: write old API, app, or old account id']);
  expect(textsIn(`/* 'the older API' */ const words = 'the older API';`)).toEqual([`'the older API'`]);
  expect(found('The old API answers.')).toEqual([]);
});
