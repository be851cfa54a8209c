import { endExtension, extendApp } from '../../src/domain/lifecycle/changes/extend-app.ts';
import { exemptApp } from '../../src/domain/lifecycle/changes/exempt-app.ts';
import { planBrownout, removeBrownout } from '../../src/domain/lifecycle/changes/plan-brownout.ts';
import { startRehearsal } from '../../src/domain/lifecycle/changes/rehearse.ts';
import { setDateOf } from '../../src/domain/lifecycle/changes/set-date.ts';
import { registerLegacyApp } from '../support/bridge/register-app.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { type AdminBridge, startAdminBridge } from './support/admin-bridge.ts';

/** /lifecycle and /lifecycle.json: every date and brownout for everybody, and nothing that one app was granted. */

const START = Date.parse('2027-01-01T00:00:00Z');
const [HOUR, DAY] = [3_600_000, 86_400_000];
const clock = new SettableClock(START);
const by = { actor: 'command', reason: 'canary reason' };

let admin: AdminBridge;

const get = (path: string, init: RequestInit = {}) => fetch(`${admin.bridge.url}${path}`, init);
const json = async () => (await (await get('/lifecycle.json')).json()) as Record<string, unknown>;
const page = async () => (await (await get('/lifecycle')).text()).replaceAll(/\s+/g, ' ');

beforeAll(async () => {
  admin = await startAdminBridge({ clock });
});
afterAll(() => admin.stop());
beforeEach(() => clock.set(START));

test('without dates both say so', async () => {
  expect(await json()).toEqual({
    now: '2027-01-01T00:00:00.000Z',
    deprecation: null,
    retirement: null,
    sunset: null,
    brownouts: [],
    documentation: `${admin.bridge.context.settings.publicUrl}/lifecycle`,
  });
  const text = await page();
  expect(text).toContain('No date is set. Connected tokens go on as they are.');
  expect(text).toContain('None is planned.');
});

let ids: string[];

/** No old API answers here. */
const date = (at: string, words = /^From this date on .+\.$/) => ({ at, text: expect.stringMatching(words) });
const ALREADY = /^On this date the old API is retired\. Nothing changes here on that day: .+\.$/;
const brownout = (n: number, rehearses: string, state: string, text: string) => ({
  id: ids[n],
  rehearses,
  starts_at: `2027-01-01T0${[1, 2, 3, 5][n]}:00:00.000Z`,
  ends_at: `2027-01-01T0${[2, 3, 4, 6][n]}:00:00.000Z`,
  state,
  text,
  status: rehearses === 'sunset' ? 410 : 401,
});

describe('with dates and brownouts', () => {
  beforeAll(async () => {
    clock.set(START);
    const { context } = admin.bridge;
    const { clientId } = await registerLegacyApp(admin.bridge, 'https://old-app.example/callback');
    const set = (name: 'deprecation' | 'retirement' | 'sunset', days: number) =>
      setDateOf(context, { name, at: START + days * DAY, ...by });
    const plan = (hours: number, rehearses: 'retirement' | 'sunset', text: string) => {
      const startsAt = START + hours * HOUR;
      return planBrownout(context, { rehearses, startsAt, endsAt: startsAt + HOUR, text, actor: 'command' });
    };
    await set('deprecation', -10);
    await set('retirement', 60);
    await set('sunset', 400);
    const planned = [
      await plan(1, 'retirement', 'First <b>one</b>.'),
      await plan(2, 'retirement', 'Second one.'),
      await plan(3, 'sunset', 'Third one.'),
      await plan(5, 'retirement', 'Fourth one.'),
    ];
    ids = planned.map(({ id }) => id);
    await removeBrownout(context, { id: String(ids[2]), actor: 'command' });
    const sunset = { clientId, name: 'sunset', ...by } as const;
    await extendApp(context, { ...sunset, until: START + 410 * DAY });
    await endExtension(context, sunset);
    await extendApp(context, { ...sunset, until: START + 420 * DAY });
    await exemptApp(context, { clientId, until: START + 70 * DAY, ...by });
    await startRehearsal(context, { clientId, rehearses: 'sunset', actor: 'account:1', requestId: null });
  });
  beforeEach(() => clock.set(START + 2.5 * HOUR));

  test('the JSON has this form, strictly', async () => {
    expect(await json()).toEqual({
      now: '2027-01-01T02:30:00.000Z',
      deprecation: date('2026-12-22T00:00:00.000Z'),
      retirement: date('2027-03-02T00:00:00.000Z', ALREADY),
      sunset: date('2028-02-05T00:00:00.000Z'),
      brownouts: [
        brownout(0, 'retirement', 'over', 'First <b>one</b>.'),
        brownout(1, 'retirement', 'running', 'Second one.'),
        brownout(2, 'sunset', 'cancelled', 'Third one.'),
        brownout(3, 'retirement', 'planned', 'Fourth one.'),
      ],
      documentation: `${admin.bridge.context.settings.publicUrl}/lifecycle`,
    });
  });

  test('any program may read it, for a minute from a cache', async () => {
    const { status, headers } = await get('/lifecycle.json', {
      headers: { Origin: 'https://other.example' },
    });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('cache-control')).toBe('public, max-age=60');
    expect(headers.get('set-cookie')).toBeNull();
  });

  test('the page tells what ends when, in how many days, what a call gets then, and what to do', async () => {
    const text = await page();
    expect(text).toMatch(
      /Since <time class="local" datetime="2026-12-22T00:00:00.000Z">22 Dec 2026, 00:00 UTC</,
    );
    expect(text).toMatch(/>2 Mar 2027, 00:00 UTC<\/time><\/strong><\/p>/);
    expect(text).toMatch(/As of <time [^>]+>1 Jan 2027, 02:30 UTC</);
    expect(text).toMatch(/>1 Jan 2027, 02:00 UTC<\/time> to <time [^>]+>1 Jan 2027, 03:00 UTC</);
    expect(text).toContain('in 400 days');
    expect(text).toMatch(
      /Calls with tokens that are not connected are refused now, whatever the dates below say\./,
    );
    expect(text).toMatch(
      /A call with a token that is not connected is answered with status <strong>401<.*Such a call is then answered/,
    );
    // The one that runs and the one that is planned. What is past is told as past.
    expect(text.split('No call changes: what it would refuse is refused at any time.')).toHaveLength(3);
    expect(text).toContain('It was a test of the retirement.');
    expect(text).toContain('It was to be a test of the end of the old API.');
    expect(text).toContain('status <strong>401</strong>');
    expect(text).toContain('{&quot;error&quot;:&quot;…&quot;,&quot;code&quot;:410,');
    expect(text).toContain('First &lt;b&gt;one&lt;/b&gt;.');
    expect(
      [...text.matchAll(/<span class="badge [a-z]*">(now|planned|over|taken back)</g)].map(
        ([, state]) => state,
      ),
    ).toEqual(['now', 'planned', 'taken back', 'over']);
    expect(text).toContain('href="/apps"');
    expect(text.match(/<script/g)).toHaveLength(1);
    clock.set(START + 399 * DAY + HOUR);
    expect(await page()).toMatch(/<span class="badge warning"><time class="days" [^>]+>tomorrow</);
  });

  test('once the sunset has come neither says of an earlier date what does not hold any more', async () => {
    clock.set(START + 400 * DAY);
    const text = await page();
    expect(text).toContain('The old API has ended.');
    expect(text.match(/The old API has ended with the sunset, and this date with it\./g)).toHaveLength(2);
    expect(text).not.toMatch(/go on (working|reading)|status <strong>401</);
    expect(text).toContain('status <strong>410<');
    const { deprecation, retirement } = (await json()) as Record<string, { text: string }>;
    expect(deprecation?.text).toContain('Connected tokens go on working until the sunset;');
    expect(retirement?.text).toContain(
      'For connected ones the new API answers the known old calls until the sunset. Calls for changing posting times are refused;',
    );
  });

  test('neither tells what was granted to one app, or that its owner rehearses', async () => {
    for (const text of [await page(), JSON.stringify(await json())]) {
      for (const word of [
        'canary',
        'Old App',
        'The owner of this app',
        '2028-02-25',
        '25 Feb',
        '2027-03-12',
        '12 Mar',
      ])
        expect(text).not.toContain(word);
    }
    expect((await json())['brownouts']).toHaveLength(4);
  });

  test.each(['/lifecycle', '/lifecycle.json'])('%s answers HEAD, and takes nothing', async (path) => {
    const head = await get(path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await get(path, { method });
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'GET, HEAD']);
    }
    expect((await get(`${path}/`)).status).toBe(404);
  });
});
