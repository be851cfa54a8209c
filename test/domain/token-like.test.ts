import { newLegacyCode, newLegacyToken, newOpaqueValue } from '../../src/shared/ids.ts';
import { tokensIn } from '../../src/shared/token-like.ts';
import { checkedReason } from '../../src/domain/revoke-token.ts';

/** What is taken for a token in a text of a person, and what is not. */

const token = newLegacyToken();

test.each([
  ['a token', token],
  ['a code', newLegacyCode()],
  ['a token of an address', token.replace('/', '%2F')],
  ['one that lost its beginning', token.slice(2)],
])('%s is found wherever it stands', (_what, value) => {
  for (const text of [value, `"${value}",`, `https://a.example/?access_token=${value}`, `lost:${value}.`])
    expect(tokensIn(text)).toContain(value);
});

test('an app secret or a modern token is found', () => {
  const value = newOpaqueValue();
  expect(tokensIn(`the secret is ${value}`)[0]).toBe(value);
});

test.each([
  'asked for by the holder on 2026-11-22, ticket 4711',
  'account 5e1f0c9a7b3d4e2f8a6c1d01, token 1/abcd…wxyz',
  'https://tickets.example/v1/5e1f0c9a7b3d4e2f8a6c1d015e1f0c9a',
  'see the-very-long-name-of-a-ticket-about-tokens-that-stopped-working',
  `Scheduler ${'x'.repeat(60)}`,
])('%j holds none, and may be a reason', (text) => {
  expect(tokensIn(text)).toEqual([]);
  expect(checkedReason(text)).toBe(text);
});

test('a reason with one is refused in words that do not repeat it', () => {
  expect(() => checkedReason(`revoke ${token}`)).toThrow('looks like a token or secret');
  expect(() => checkedReason(`revoke ${token}`)).not.toThrow(token);
});
