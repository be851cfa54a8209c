import { createHash, randomBytes } from 'node:crypto';
import { newHexId, newLegacyCode, newLegacyToken, newOpaqueValue } from '../../src/shared/ids.ts';
import { tokensIn } from '../../src/shared/log/token-like.ts';
import { checkedReason } from '../../src/domain/history/reason.ts';
import { leastTime } from '../support/least-time.ts';

/** What is taken for a token in a text of a person, and what is not. */

/** Not one of the few, one in ten thousand, that turn so seldom that they are none once they are cut. */
const usual = (token: string): string =>
  (token.slice(2, 28).match(/[a-f](?=\d)|\d(?=[a-f])/g) ?? []).length < 4 ? usual(newLegacyToken()) : token;
const token = usual(newLegacyToken());
const bare = token.slice(2);
const split = (between: string) => `1/${bare.slice(0, 16)}${between}${bare.slice(16)}`;

test('each secret of a webhook is found, whichever signs it has', () => {
  const secrets = Array.from({ length: 500 }, () => `whsec_${randomBytes(32).toString('base64')}`);
  expect(secrets.filter((secret) => tokensIn(`for the ticket ${secret} of today`).length === 0)).toEqual([]);
});

test.each([
  ['a token', token],
  ['a code', newLegacyCode()],
  ['a token of an address', token.replace('/', '%2F')],
  ['one of an address in an address', token.replace('/', '%252F')],
  ['one of JSON with an escaped slash', token.replace('/', String.raw`\/`)],
  ['one of JSON in JSON', token.replace('/', String.raw`\\\/`)],
  ['one that lost its beginning', bare],
  ['one that lost its end', token.slice(0, 30)],
  ['one with a soft hyphen in it', split('\u00AD')],
  ['one with a blank in it that has no width', split('\u200B')],
  ['a signed token of three parts', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${newOpaqueValue()}`],
])('%s is found wherever it stands', (_what, value) => {
  for (const text of [
    value,
    `"${value}",`,
    `https://a.example/?access_token=${value}`,
    `lost:${value}.`,
    `{"access_token":"${value}"}`,
  ])
    expect(tokensIn(text)).toContain(value);
});

test.each(['x1/', 'secret-', '/', '//', '.', '_', '-', 'https://a.example/v1/', '1 / ', '1&#47;', '１／'])(
  'a token behind %j is found',
  (before) => {
    expect(tokensIn(before + bare).some((found) => found.endsWith(bare))).toBe(true);
    expect(() => checkedReason(`see ${before}${bare}`)).toThrow('the text seems to hold a token or secret');
  },
);

/** As random as those that the bridge makes, and the same in every run. */
const opaqueValue = (n: number) => createHash('sha256').update(`value ${n}`).digest('base64url');

test('an app secret or a modern token is found, but for one of a thousand that has no digit', () => {
  expect(opaqueValue(0)).toHaveLength(newOpaqueValue().length);
  const values = Array.from({ length: 2000 }, (_, n) => opaqueValue(n));
  const missed = values.filter((value) =>
    ['the secret is ', 'https://a.example/', 'secret.'].some(
      (before) => tokensIn(before + value)[0] !== value,
    ),
  );
  expect(missed.length).toBeLessThan(20);
  expect(missed.filter((value) => /\d.*\d/.test(value))).toEqual([]);
});

test.each([
  'asked for by the holder on 2026-11-22, ticket 4711',
  'account 5e1f0c9a7b3d4e2f8a6c1d01, token 1/abcd…wxyz',
  'https://tickets.example/v1/5e1f0c9a7b3d4e2f8a6c1d01',
  `https://tickets.example/1/${newHexId()}/${newHexId()}`,
  'request 0f8fad5b-d9cb-469f-a165-70867728950e',
  'Ticket-0f8fad5b-d9cb-469f-a165-70867728950e of 2026',
  'see the-very-long-name-of-a-ticket-about-tokens-that-stopped-working',
  'https://help.example/The-2026-Guide-to-Moving-Your-Tokens-Over-to-API2-Quickly',
  'https://help.example/howtomoveyourtokensover2026withoutlosingany',
  `Scheduler ${'x'.repeat(60)}`,
])('%j holds none, and may be a reason', (text) => {
  expect(tokensIn(text)).toEqual([]);
  expect(checkedReason(text)).toBe(text);
});

test('a reason with one is refused in words that do not repeat it', () => {
  expect(() => checkedReason(`revoke ${token}`)).toThrow('the text seems to hold a token or secret');
  expect(() => checkedReason(`revoke ${token}`)).not.toThrow(token);
});

test.each([
  '1/',
  'eyJ',
  'a1',
  '1\\',
  'a\u00AD',
  '%25',
  'eyJaaaaa.',
  'a-',
  'aB1_',
  `${'a\u200B'.repeat(31)} `,
])('a text of nothing but %j is gone through at once', (piece) => {
  const text = piece.repeat(64_000 / piece.length);
  expect(leastTime(() => tokensIn(text))).toBeLessThan(1500);
});
