import type { Answer } from '../../support/servers/forward.ts';
import { issueToken, read } from '../../support/callers/legacy-calls.ts';
import { giveToAccount } from '../../support/callers/other-account.ts';
import { logLines } from '../../support/bridge/log-lines.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';

/** A grant whose refresh is answered with 429 rests for as long as the server asked; the others only where it is theirs too. */

const clock = new SettableClock();
const { stream, lines } = logLines();
let system: System;

beforeAll(async () => {
  const env = { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0' };
  system = await startSystem({ clock, env, log: { level: 'warn', stream } });
});

afterAll(() => system.stop());

const profiles = (token: string) => read(system, '/1/profiles.json', token);

const JSON_TYPE = { 'content-type': 'application/json' };

function askedToWait(seconds: number, body: unknown = {}): Answer {
  const headers = { ...JSON_TYPE, 'retry-after': String(seconds) };
  return { status: 429, headers, body: Buffer.from(JSON.stringify(body)) };
}

/** What the modern generation says of the limit of a client. */
const ofClient = { errors: [{ message: 'Too many requests', extensions: { code: 'RATE_LIMIT_EXCEEDED' } }] };

let made = 0;

/** Tokens of apps and accounts of their own, whose access tokens have ended, and how many refreshes were sent since. */
async function endedTokens(count: number) {
  const tokens: string[] = [];
  for (let number = 0; number < count; number += 1) {
    made += 1;
    const app = await system.registerApp(`https://app-${made}.example/callback`);
    const token = await issueToken(system, { app });
    await giveToAccount(system, app, `account-${made}`);
    expect((await profiles(token)).status).toBe(200);
    tokens.push(token);
  }
  clock.advance(3_700_000);
  const before = system.proxy.refreshes().length;
  return { tokens, sent: () => system.proxy.refreshes().length - before };
}

/** Each is asked to wait by the answer given, one after the other. */
async function askToWait(tokens: readonly string[], answer: Answer): Promise<void> {
  system.proxy.onTokenAnswer = () => answer;
  for (const token of tokens) await profiles(token);
  system.proxy.onTokenAnswer = undefined;
}

const isFresh = async (token: string) => (await profiles(token)).headers['age'] === undefined;

test('Retry-After is obeyed to the second by the grant that was asked, and the others go on', async () => {
  const { tokens, sent } = await endedTokens(2);
  const [asked = '', other = ''] = tokens;
  await askToWait([asked], askedToWait(20));
  clock.advance(19_000);
  expect([await isFresh(asked), await isFresh(other)]).toEqual([false, true]);
  expect(sent()).toBe(2);
  clock.advance(2_000);
  expect(await isFresh(asked)).toBe(true);
  expect(sent()).toBe(3);
});

test('an answer that speaks of the whole client is obeyed by all its grants, for a quarter of an hour at most', async () => {
  const { tokens, sent } = await endedTokens(3);
  const [asked = '', other = '', third = ''] = tokens;
  await askToWait([asked], askedToWait(20, ofClient));
  clock.advance(19_000);
  expect(await isFresh(other)).toBe(false);
  expect(sent()).toBe(1);
  clock.advance(2_000);
  expect(await isFresh(asked)).toBe(true);
  await askToWait([third], askedToWait(3600, ofClient));
  clock.advance(901_000);
  expect(await isFresh(other)).toBe(true);
});

test('four accounts in a row that are asked to wait stop nobody else, five do for a minute', async () => {
  const { tokens, sent } = await endedTokens(7);
  const [fifth = '', sixth = '', seventh = ''] = tokens.slice(4);
  await askToWait(tokens.slice(0, 4), askedToWait(3600));
  expect(await isFresh(fifth)).toBe(true);
  clock.advance(3_700_000);
  await askToWait(tokens.slice(0, 5), askedToWait(3600));
  const before = sent();
  expect(await isFresh(sixth)).toBe(false);
  expect(sent()).toBe(before);
  clock.advance(61_000);
  expect(await isFresh(seventh)).toBe(true);
});

const told = (words: string): unknown[] =>
  lines()
    .filter((line) => line.includes(words))
    .map((line) => JSON.parse(line) as unknown);

test('the log names the client that has to wait, once a minute however many grants are refused', async () => {
  const words = 'asks the bridge to wait with refreshes';
  clock.advance(61_000);
  const before = told(words).length;
  const { tokens } = await endedTokens(3);
  await askToWait(tokens, askedToWait(20));
  await system.bridge.untilLogged();
  const { clientId: modernClientId } = system.bridge.context.server;
  expect(told(words).slice(before)).toMatchObject([
    { level: 'warn', modernClientId, isOfClient: false, waitSeconds: 20 },
  ]);
});

test('a full disk is told once a minute, however many grants it stops', async () => {
  const words = 'the disk is nearly full, the bridge refreshes no grant';
  const { tokens, sent } = await endedTokens(3);
  const room = jest.spyOn(system.bridge.context.spill, 'hasRoom').mockResolvedValue(false);
  for (const token of tokens) expect(await isFresh(token)).toBe(false);
  await system.bridge.untilLogged();
  expect([told(words).length, sent()]).toEqual([1, 0]);
  clock.advance(61_000);
  for (const token of tokens) expect(await isFresh(token)).toBe(false);
  await system.bridge.untilLogged();
  expect(told(words)).toHaveLength(2);
  room.mockRestore();
  clock.advance(61_000);
  for (const token of tokens) expect(await isFresh(token)).toBe(true);
});
