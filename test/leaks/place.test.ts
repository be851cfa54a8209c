import { placeWords } from '../../src/domain/leaks/place.ts';

/** Where a token was found: a stranger's text, kept without the token and without any other secret. */

const BODY = '0123456789abcdef0123456789abcdef';
const TOKEN = `1/${BODY}`;
const COMMIT = '12345600b9cbe38a219f39a9941c9319b600c002';

const words = (found: string, token = TOKEN) => placeWords({ token, found });

test('the address of a report stays readable, with its commit', () => {
  const found = `commit https://github.com/octocat/Hello-World/blob/${COMMIT}/foo/bar.txt#L12`;
  expect(words(found)).toBe(found);
});

test.each([
  ['plain', TOKEN],
  ['encoded', encodeURIComponent(TOKEN)],
  ['encoded twice', encodeURIComponent(encodeURIComponent(TOKEN))],
  ['without its beginning', BODY],
  ['in capitals', TOKEN.toUpperCase()],
  ['as part of a longer word', `${TOKEN}ffff`],
  ['as long as a commit', `${BODY}01234567`],
])('the token itself does not stand in its place: %s', (_name, form) => {
  for (const found of [
    `https://bridge.example/1/profiles.json?access_token=${form}`,
    `https://code.example/${form}/file.txt`,
    `https://code.example/file.txt#${form}`,
    `log line: ${form}`,
  ])
    expect(words(found).toLowerCase()).not.toContain(BODY);
});

test.each([
  ['a blank in its midst', `https://code.example/1/${BODY.slice(0, 9)}\n${BODY.slice(9)}`],
  ['an invisible character in its midst', `https://code.example/1/${BODY.slice(0, 9)}\u200B${BODY.slice(9)}`],
  ['an escaped letter', `https://code.example/1/%30${BODY.slice(1)}`],
  ['a letter escaped three times', `https://code.example/1/%252530${BODY.slice(1)}`],
])('the token itself does not stand in its place with %s', (_name, found) => {
  expect(words(found).replaceAll(/[^0-9a-z]/g, '')).not.toContain(BODY.slice(9));
});

test('of a token that is cut where the text grows too long nothing stands there', () => {
  for (let at = 1900; at <= 2010; at += 1) {
    const shown = words(`https://code.example/?${'a'.repeat(at - 24)}#${BODY}`);
    expect(shown).not.toContain(BODY.slice(0, 12));
  }
});

test('a query with a line break in it is left out whole, and a secret after 1// is no commit', () => {
  expect(words('https://code.example/?k=a\nhush7Yq')).not.toContain('hush7Yq');
  expect(words(`https://code.example/1//${'a1b2'.repeat(10)}`)).not.toContain('a1b2a1b2');
});

test('a short token of an import does not stand in its place either', () => {
  expect(words('https://code.example/short-tok/x', 'short-tok')).not.toContain('short-tok');
});

test('other secrets do not stand there: a password in an address, another token, a query', () => {
  const found = `https://user:pass@code.example/1/${'a1b2c3d4'.repeat(4)}/x?key=hush7Yq#part`;
  const shown = words(found);
  for (const secret of ['pass', 'a1b2c3d4', 'hush7Yq']) expect(shown).not.toContain(secret);
  expect(shown).toContain('#part');
});

test('the text is one line of at most 300 characters, and turns nothing around', () => {
  const shown = words(`a\r\nb\u202Ec\u0000d ${'long '.repeat(500)}`);
  expect(shown).toMatch(/^a bc d long /);
  expect(Array.from(shown)).toHaveLength(300);
});

test('a place that was not said is told so', () => {
  for (const found of ['', '   ', '\u0000', '?x']) expect(words(found)).toBe('place not said');
});
