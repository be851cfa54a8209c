import { newHexId, newLegacyToken } from '../../src/shared/ids.ts';
import { MINUTE, SECOND } from '../../src/shared/lifetimes.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { exchangeFields, freshCode, issueToken } from '../support/callers/legacy-calls.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../support/servers/old-backend.ts';
import { type RawAnswer, rawForm, sendRaw } from '../support/callers/raw-request.ts';
import type { LegacyApp } from '../support/callers/authorize.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { testInProcess } from '../support/jest/test-mode.ts';
import { addWaitingToken } from '../support/bridge/waiting-token.ts';
import { plan } from './support/lifecycle-rows.ts';

/**
 * What a date or a brownout takes from a call is decided at one moment, and for the app that the call proves
 * (docs/decisions/0012).
 */

/** Goes on by a millisecond at every look, so that each look of a call has a moment of its own. */
class SteppingClock extends SettableClock {
  isStepping = false;
  looks = 0;

  override now(): number {
    const at = super.now();
    if (!this.isStepping) return at;
    this.looks += 1;
    this.set(at + 1);
    return at;
  }
}

const clock = new SteppingClock();
const START = clock.now();
const DATE = START + MINUTE;
const TEXT = 'The old API is switched off to show what its end will break.';
const OTHER_PATH = '/1/info/configuration.json';
const account: OldAccount = { tokens: [], user: { id: newHexId() }, profiles: [] };
const browser = new CookieWalker();
let old: OldBackend;
let system: System;
/** Has more time, is exempt or rehearses. */
let favoured: LegacyApp;
let favouredToken: string;
let other: LegacyApp;
let waiting: string;
/** A grant serves it, and it is older than the bridge. */
let mapped: string;

beforeAll(async () => {
  old = await startOldBackend({ accounts: [account] });
  system = await startSystem({ clock, env: { LEGACY_BACKEND_URL: old.url, LEGACY_RATE_LIMIT: '0' } });
  favoured = system.app;
  favouredToken = await issueToken(system, { browser });
  other = await system.registerApp('https://second.example/callback');
  mapped = await issueToken(system, { app: other, browser });
  const { store, vault } = system.bridge.context;
  await store.durable
    .updateTable('mappings')
    .set({ source: 'imported' })
    .where('token_digest', 'in', vault.digests(mapped))
    .execute();
  ({ token: waiting } = await addWaitingToken(system.bridge, { clientId: other.clientId }));
  account.tokens.push(waiting, mapped);
});

beforeEach(() => {
  clock.set(START);
  old.requests.length = 0;
});

afterAll(async () => {
  await system.stop();
  await old.close();
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const call = (token: string, path = '/1/user.json') =>
  sendRaw(system.bridgeUrl, { path, headers: bearer(token) });

/** One that the old API knows and the bridge does not. */
function unseen(): string {
  const token = newLegacyToken();
  account.tokens.push(token);
  return token;
}

/** More looks than a call has before it is answered, however slow the machine and whatever else looks at the clock. */
const LOOKS = 1000;

interface AnswerAcross {
  status: number;
  isOfBrownout: boolean;
  /** How often the clock was looked at meanwhile. */
  looks: number;
}

/** Of a call that begins so many looks before a moment. */
async function answerAcross(
  moment: number,
  looks: number,
  send: () => Promise<RawAnswer>,
): Promise<AnswerAcross> {
  clock.set(moment - looks);
  // What is over when the rows are read is not known any more once the clock goes back.
  await system.bridge.context.lifecycle.refresh();
  [clock.isStepping, clock.looks] = [true, 0];
  const { status, json } = await send();
  clock.isStepping = false;
  const { error } = json as { error?: string };
  return { status, isOfBrownout: error?.startsWith(TEXT) ?? false, looks: clock.looks };
}

/**
 * Of calls that begin at a moment, one look before it, two looks, and so on, up to the first that is over before it. A call has some
 * more looks on a slow machine, where what the bridge does by itself looks at the clock meanwhile.
 */
async function* answersAcross(moment: number, send: () => Promise<RawAnswer>): AsyncGenerator<AnswerAcross> {
  for (let before = 0; before < LOOKS; before += 1) {
    const answer = await answerAcross(moment, before, send);
    yield answer;
    if (answer.looks < before) return;
  }
  throw new Error(`a call has more than ${LOOKS} looks`);
}

// A clock that steps cannot be told to another process.
describe.each([
  ['a waiting token', 401, () => call(waiting)],
  ['a waiting token at another path', 401, () => call(waiting, OTHER_PATH)],
  ['an unknown token', 401, () => call(unseen())],
] as const)('%s', (_name, refusal, send) => {
  testInProcess('meets a brownout with its text or not at all, however time goes on meanwhile', async () => {
    const [startsAt, endsAt] = [DATE, DATE + MINUTE];
    await plan(system.bridge, { brownouts: [{ rehearses: 'retirement', startsAt, endsAt, text: TEXT }] });
    const seen = new Set<string>();
    for (const moment of [startsAt, endsAt]) {
      for await (const answer of answersAcross(moment, send)) {
        expect(answer.status).toBe(answer.isOfBrownout ? refusal : 200);
        seen.add(`${moment} ${answer.status}`);
      }
    }
    expect([...seen].toSorted()).toEqual(
      [startsAt, endsAt].flatMap((moment) => [`${moment} 200`, `${moment} ${refusal}`]),
    );
  });
});

testInProcess(
  'a served token at another path meets no brownout, however time goes on meanwhile',
  async () => {
    const [startsAt, endsAt] = [DATE, DATE + MINUTE];
    await plan(system.bridge, { brownouts: [{ rehearses: 'retirement', startsAt, endsAt, text: TEXT }] });
    for (const moment of [startsAt, endsAt])
      for await (const answer of answersAcross(moment, () => call(mapped, OTHER_PATH)))
        expect(answer).toMatchObject({ status: 200, isOfBrownout: false });
  },
);

/** The status of an exchange of a fresh code once the date has come. */
const exchange = async (app: LegacyApp, { query = '', headers = {} } = {}) => {
  // A code lives for half a minute.
  clock.set(DATE - SECOND);
  const code = await freshCode(system, { app, browser });
  clock.set(DATE);
  const form = new URLSearchParams(exchangeFields(app, code)).toString();
  const path = `/1/oauth2/token.json${query}`;
  return (await sendRaw(system.bridgeUrl, { method: 'POST', path, ...rawForm(form, headers) })).status;
};

describe('codes are exchanged by the dates of the app whose credentials are given', () => {
  test('a token of another app, or its name in the address, changes nothing', async () => {
    const { clientId } = favoured;
    const extensions = [{ clientId, name: 'sunset', until: DATE + MINUTE } as const];
    await plan(system.bridge, { dates: { sunset: DATE }, extensions });
    expect(await exchange(other)).toBe(410);
    expect(await exchange(other, { headers: bearer(favouredToken) })).toBe(410);
    expect(await exchange(other, { query: `?access_token=${favouredToken}` })).toBe(410);
    expect(await exchange(other, { query: `?client_id=${clientId}` })).toBe(410);
    expect(await exchange(favoured)).toBe(200);
    expect(await exchange(favoured, { headers: bearer(mapped) })).toBe(200);
  });

  test('the Basic header goes before the body', async () => {
    const { clientId } = favoured;
    const extensions = [{ clientId, name: 'sunset', until: DATE + MINUTE } as const];
    await plan(system.bridge, { dates: { sunset: DATE }, extensions });
    clock.set(DATE);
    const basic = Buffer.from(`${other.clientId}:${other.clientSecret}`).toString('base64');
    const form = new URLSearchParams({ grant_type: 'authorization_code', code: 'x', client_id: clientId });
    const headers = { authorization: `Basic ${basic}` };
    const wanted = { method: 'POST', path: '/1/oauth2/token', ...rawForm(form.toString(), headers) };
    expect((await sendRaw(system.bridgeUrl, wanted)).status).toBe(410);
  });
});

/** Calls that name an app and prove none: in the address and in the body, with an unknown token and with none. */
async function naming({ clientId }: LegacyApp): Promise<RawAnswer[]> {
  const inAddress = `/1/user.json?client_id=${clientId}`;
  const body = (token: string) =>
    rawForm(new URLSearchParams({ client_id: clientId, access_token: token }).toString());
  const wanted = [
    { path: inAddress, headers: bearer(unseen()) },
    { path: `${OTHER_PATH}?client_id=${clientId}`, headers: bearer(unseen()) },
    { path: '/1/user.json', method: 'POST', ...body(unseen()) },
    { path: inAddress },
    { path: '/1/user.json', headers: { authorization: `Basic ${btoa(`${clientId}:x`)}` } },
  ];
  return Promise.all(wanted.map((one) => sendRaw(system.bridgeUrl, one)));
}

const statuses = (answers: RawAnswer[]) => answers.map(({ status }) => status);

const asEver = [200, 200, 200, 401, 401];

describe('an app that is named alone gives a call nothing', () => {
  test('after the retirement', async () => {
    const extensions = [{ clientId: favoured.clientId, name: 'retirement', until: DATE + MINUTE } as const];
    await plan(system.bridge, { dates: { retirement: DATE }, extensions });
    clock.set(DATE - 1);
    expect(statuses(await naming(favoured))).toEqual(asEver);
    clock.set(DATE);
    old.requests.length = 0;
    expect(statuses(await naming(favoured))).toEqual([401, 401, 401, 401, 401]);
    // Whose the tokens from before are may still be asked for.
    expect([...old.seen('GET', OTHER_PATH), ...old.seen('POST', '/1/user.json')]).toEqual([]);
  });

  test('after the sunset', async () => {
    const extensions = [{ clientId: favoured.clientId, name: 'sunset', until: DATE + MINUTE } as const];
    await plan(system.bridge, { dates: { sunset: DATE }, extensions });
    clock.set(DATE);
    expect(statuses(await naming(favoured))).toEqual([410, 410, 410, 410, 410]);
    expect((await call(favouredToken)).status).toBe(200);
  });

  test.each([
    ['retirement', [401, 401, 401, 401, 401]],
    ['sunset', [410, 410, 410, 410, 410]],
  ] as const)('in a brownout of the %s that it is exempt from', async (rehearses, expected) => {
    await plan(system.bridge, {
      brownouts: [{ rehearses, startsAt: START, endsAt: DATE, text: TEXT }],
      exemptions: [{ clientId: favoured.clientId, until: DATE }],
    });
    const answers = await naming(favoured);
    expect(statuses(answers)).toEqual(expected);
    const told = answers.slice(0, 3).map(({ json }) => (json as { error: string }).error);
    for (const error of told) expect(error).toContain(TEXT);
  });

  test.each(['retirement', 'sunset'] as const)(
    'in its own rehearsal of the %s, which nobody else can look into',
    async (rehearses) => {
      const { clientId } = favoured;
      const own = { clientId, rehearses, startsAt: START, endsAt: DATE, text: TEXT };
      await plan(system.bridge, { brownouts: [own] });
      expect(statuses(await naming(favoured))).toEqual(asEver);
    },
  );
});
