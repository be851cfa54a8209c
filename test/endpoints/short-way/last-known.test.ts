import { sendRaw } from '../../support/callers/raw-request.ts';
import { samplesOf, sumOf } from '../../metrics/support/scrape.ts';
import { badGateway } from '../../faults/outage/support/outage.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { issueToken } from '../../support/callers/legacy-calls.ts';
import { until } from '../../support/servers/held-answer.ts';
import { serveShortWay } from '../support/short-way.ts';

/**
 * The short way while the new API is away: the kept text serves as the last known answer. A mark in a kept text shows which way a
 * call took.
 */

const MARK = '[{"kept":true}]';

const CALLS = [
  { path: '/1/profiles.json', table: 'told_profiles' },
  { path: '/1/user.json', table: 'told_users' },
] as const;

let system: System;
let clock: SettableClock;
let tokens: string[];
let url: string;
let stop: () => void;

const context = () => system.bridge.context;

const call = (path: string, token = tokens[0] ?? '', at = url) =>
  sendRaw(at, { path, headers: { authorization: `Bearer ${token}` } });

const keptTexts = (table: (typeof CALLS)[number]['table']) =>
  context().store.volatile.selectFrom(table).select('text').execute();

const markAll = () =>
  Promise.all(
    CALLS.map(({ table }) => context().store.volatile.updateTable(table).set({ text: MARK }).execute()),
  );

/** Takes the new API away, and calls until the breaker before reads knows. */
async function takeAway(): Promise<void> {
  system.proxy.insteadOfOther = () => badGateway;
  await until(async () => {
    for (const token of tokens) await call('/1/user.json', token);
    return context().sides.reads.refuses();
  });
}

async function lastKnownAnswers(): Promise<number> {
  const { text } = await sendRaw(system.bridgeUrl, { path: '/metrics' });
  return sumOf(samplesOf(text), 'grantbridge_last_known_answers_total');
}

beforeEach(async () => {
  clock = new SettableClock();
  system = await startSystem({ clock, accessTokenSeconds: 86_400 });
  tokens = [];
  for (let number = 0; number < 3; number += 1)
    tokens.push(
      await issueToken(system, { app: await system.registerApp(`https://app-${number}.example/callback`) }),
    );
  ({ url, stop } = await serveShortWay(system));
  for (const { path, table } of CALLS)
    await until(async () => {
      for (const token of tokens) await call(path, token);
      return (await keptTexts(table)).length === tokens.length;
    });
  clock.advance(context().settings.profilesFresh + 5000);
});

afterEach(async () => {
  stop();
  await system.stop();
});

test.each(CALLS)(
  '$path is answered with what is kept and its age, as on the ordinary way',
  async ({ path }) => {
    await takeAway();
    // The bridge of a system writes a line for each request, so there every call takes the ordinary way.
    const ordinary = await call(path, tokens[0], system.bridgeUrl);
    const before = await lastKnownAnswers();
    const short = await call(path);
    expect(await lastKnownAnswers()).toBe(before + 1);
    await markAll();
    expect((await call(path)).text).toBe(MARK);
    const { 'x-request-id': ours, ...rest } = short.headers;
    const { 'x-request-id': theirs, ...expected } = ordinary.headers;
    expect(ours).not.toBe(theirs);
    expect({ status: short.status, text: short.text, ...rest, date: '' }).toEqual({
      status: ordinary.status,
      text: ordinary.text,
      ...expected,
      date: '',
    });
    expect(Number(short.headers['age'])).toBeGreaterThanOrEqual(context().settings.profilesFresh / 1000 + 5);
  },
);

test('a text that is older than a last known answer may be does not serve', async () => {
  await takeAway();
  await markAll();
  clock.advance(context().settings.profilesStale);
  for (const { path } of CALLS) expect(await call(path)).toMatchObject({ status: 503 });
});

test('a token in another state is refused also while its grant and the text are still there', async () => {
  await takeAway();
  await markAll();
  await context().store.durable.updateTable('mappings').set({ state: 'revoked' }).execute();
  for (const { path } of CALLS) expect(await call(path)).toMatchObject({ status: 401 });
});

test('while kept texts serve, the return of the new API is still found out, and answers are fresh then', async () => {
  await takeAway();
  system.proxy.insteadOfOther = undefined;
  await until(async () => (await call('/1/profiles.json')).headers['age'] === undefined, 20_000);
  expect(context().sides.reads.refuses()).toBe(false);
});
