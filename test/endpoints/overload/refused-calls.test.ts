import { PassThrough } from 'node:stream';
import { LOOK_EVERY } from '../../../src/domain/limits/overload/overload.ts';
import { scrape, sumOf } from '../../metrics/support/scrape.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { exchangeFields } from '../../support/callers/legacy-calls.ts';
import { testInProcess } from '../../support/jest/test-mode.ts';
import { until } from '../../support/servers/held-answer.ts';
import { authorizePath } from '../support/authorize-address.ts';
import { type Connected, connectApp, expectUnspent, formOf, TOKEN_PATH } from '../support/connected.ts';
import { type Door, openDoor } from '../support/door.ts';
import { type Answered, expectPage, expectRefusal, expectTokenError } from '../support/expectations.ts';
import { openPipeline, type Pipeline } from '../support/pipeline.ts';

/**
 * What callers get from a process that has more to do than it can (docs/decisions/0026). The process is really late: the
 * bridge is this process, and the requests lie unread while the event loop does not come round.
 */

const WAIT = 100;

let door: Door;
let connected: Connected;
let pipeline: Pipeline;
let logged = '';

beforeAll(async () => {
  const stream = new PassThrough().on('data', (bytes: Buffer) => (logged += bytes.toString()));
  // A code lives thirty seconds. By this clock it outlasts an overload, however slow the machine is.
  const clock = new SettableClock();
  const env = { OVERLOAD_WAIT_MS: String(WAIT) };
  door = await openDoor({ clock, env, log: { level: 'warn', stream } });
  connected = await connectApp(door);
  pipeline = await openPipeline(door);
});

afterAll(async () => {
  pipeline.close();
  await door.stop();
});

const overload = () => door.bridge.context.overload;

/** How many calls of others were refused: they are no requests, so no answer counts them. */
let refusedBeside = 0;

/**
 * From here on every round of the event loop takes at least this long, until the returned function ends that. After each look of the
 * process come others, and take what room it has. So the next one is refused however slow the machine is: where rounds are long by
 * themselves, the least that is answered in one may be more than a caller can send in it.
 */
function beLate(milliseconds: number, isAdmitted = () => false): () => void {
  let isOver = false;
  let begun = performance.now();
  const again = () => {
    while (performance.now() < begun + milliseconds);
    begun = performance.now();
    if (!isOver) setImmediate(again);
  };
  setImmediate(again);
  // Timers of one length run in the order of their begin: this one right after the look.
  const others = setInterval(() => {
    const before = overload().refused();
    for (let n = 0; n < 1000 && isAdmitted(); n += 1);
    refusedBeside += overload().refused() - before;
  }, LOOK_EVERY);
  return () => {
    isOver = true;
    clearInterval(others);
  };
}

const get = (path: string, token = '') =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${token && `Authorization: Bearer ${token}\r\n`}\r\n`;

const post = (path: string, fields: Record<string, string>) => {
  const body = formOf(fields);
  const type = 'Content-Type: application/x-www-form-urlencoded';
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

/** Late enough to be overloaded: at every look by more than half of the limit. */
const LATE = WAIT;

/** A read of which no answer is kept. */
const UNKEPT = '/1/profiles.json?subprofiles=1';

/** So late that people are refused too: a call waits longer than the limit. */
const VERY_LATE = 1.5 * WAIT;

const AT_ONCE = 100;

interface Overloading {
  late: number;
  /** Whether a call of others is admitted. */
  others: () => boolean;
}

/** Asks while the process is late, again and again, until an answer is a refusal. */
async function refusedOf(request: string, { late, others }: Overloading): Promise<Answered> {
  const requests = Array.from({ length: AT_ONCE }, () => request);
  let found: Answered | undefined;
  const beOnTime = beLate(late, others);
  await until(async () => {
    const answers = await pipeline.ask(requests);
    found = answers.find(({ status }) => status === 503);
    return found !== undefined;
  }, 30_000).finally(beOnTime);
  return found as Answered;
}

/** Others of the same app. Without a token it is the app of all whose app is not known. */
const callsOf = (token?: string): Overloading => ({ late: LATE, others: () => overload().admits(token) });

const PEOPLE: Overloading = { late: VERY_LATE, others: () => overload().admitsLast() };

const RECORDED = { error: 'The service is temporarily unavailable. Try again later.', code: 1000 };

const TOLD = 'the bridge has more calls than it can answer';

testInProcess(
  'calls of a known app with a kept answer are not refused, and the log says of no refusal',
  async () => {
    const kept = get('/1/profiles.json', connected.token);
    await pipeline.ask([kept]);
    const seen = new Set<number>();
    const beOnTime = beLate(LATE);
    await until(async () => {
      const wasOn = overload().isOn();
      const answers = await pipeline.ask(Array.from({ length: AT_ONCE }, () => kept));
      for (const { status } of answers) seen.add(status);
      return wasOn;
    }, 30_000).finally(beOnTime);
    expect([...seen]).toEqual([200]);
    expect(overload().refused()).toBe(0);
    expect(logged).not.toContain(TOLD);
  },
);

testInProcess('a read is refused in the recorded form, and says when to come again', async () => {
  for (const [path, token, app] of [
    [UNKEPT, connected.token, connected.token],
    [`${UNKEPT}&access_token=${encodeURIComponent(connected.token)}`, '', connected.token],
    // It has no kept answer.
    ['/1/profiles.json', 'unknown', undefined],
  ] as const) {
    const answer = await refusedOf(get(path, token), callsOf(app));
    expectRefusal(answer, 503, 1000);
    expect(answer.json).toEqual(RECORDED);
    expect(answer.headers['retry-after']).toMatch(/^[1-3]$/);
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{24}$/);
    expect(answer.headers['link']).toContain('rel="successor-version"');
  }
});

testInProcess('a call that may have a kept answer is refused once it is known to have none', async () => {
  for (const [request, app] of [
    [post('/1/profiles.json', { access_token: 'unknown' }), undefined],
    [post('/1/profiles.json?access_token=unknown', {}), undefined],
    // No text is kept of a profile that the account does not have.
    [get('/1/profiles/unknown/updates/sent.json', connected.token), connected.token],
  ] as const) {
    const answer = await refusedOf(request, callsOf(app));
    expectRefusal(answer, 503, 1000);
    expect(answer.json).toEqual(RECORDED);
  }
});

testInProcess('a write is refused before anything is sent, in the form of every refused write', async () => {
  const fields = { access_token: connected.token, text: 'x', 'profile_ids[]': 'unknown' };
  const answer = await refusedOf(post('/1/updates/create.json', fields), callsOf(connected.token));
  expectRefusal(answer, 503, 1000);
  expect(answer.json).toMatchObject({ ...RECORDED, success: false, message: RECORDED.error });
  expect(answer.headers['retry-after']).toMatch(/^[1-3]$/);
  expect(door.proxy.readings().filter(({ body }) => body.includes('createPost'))).toEqual([]);
});

testInProcess(
  'codes are exchanged, people are served and operators get their answers meanwhile',
  async () => {
    let answers: Answered[] = [];
    // What a slow machine answers after the two seconds of an overload shows nothing.
    await until(async () => {
      const code = await connected.mint();
      await refusedOf(get(UNKEPT, connected.token), callsOf(connected.token));
      answers = await pipeline.ask([
        get('/health'),
        get('/metrics'),
        get(authorizePath(door.app, { state: 's' })),
        post(TOKEN_PATH, exchangeFields(door.app, code)),
      ]);
      return overload().isOn();
    }, 60_000);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 302, 200]);
  },
);

testInProcess('a process that stays late refuses people and exchanges too, and nothing is lost', async () => {
  const code = await connected.mint();
  const exchanges = post(TOKEN_PATH, { ...exchangeFields(door.app, code), code: 'unknown' });
  expectTokenError(await refusedOf(exchanges, PEOPLE), 503, 'temporarily_unavailable');
  const page = await refusedOf(get(authorizePath(door.app)), PEOPLE);
  expectPage(page, 503);
  expect(page.headers['retry-after']).toMatch(/^[1-3]$/);
  await until(() => !overload().isOn(), 30_000);
  await expectUnspent(door, connected, code);
});

testInProcess('it ends by itself, is told in the log once, and every refusal is counted', async () => {
  await refusedOf(get(UNKEPT, connected.token), callsOf(connected.token));
  await until(() => !overload().isOn(), 30_000);
  // Very many would overload a slow machine anew.
  const after = await pipeline.ask(Array.from({ length: 3 }, () => get(UNKEPT, connected.token)));
  expect(after.map(({ status }) => status)).toEqual([200, 200, 200]);
  await until(() => logged.includes('the bridge answers all calls again'));
  const times = (line: string) => logged.split(line).length - 1;
  expect(times(TOLD)).toBe(times('the bridge answers all calls again'));
  expect(logged).not.toContain('a legacy call failed');
  const samples = await scrape(door.bridgeUrl);
  expect(sumOf(samples, 'grantbridge_calls_total', { outcome: 'shed' })).toBe(
    overload().refused() - refusedBeside,
  );
});
