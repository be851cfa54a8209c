import { DAY } from '../../../src/shared/lifetimes.ts';
import { DANA, waitingToken } from '../../owners/support/people.ts';
import { registerLegacyApp } from '../../support/bridge/register-app.ts';
import type { SettableClock } from '../../support/bridge/settable-clock.ts';
import type { System } from '../../support/bridge/system.ts';
import { exempt, extend, planOutages } from './letter-plans.ts';
import {
  DANA_PERSON,
  type Letter,
  letterTo,
  NOW,
  RETIREMENT,
  setDates,
  SUNSET,
  toHolder,
  toOwner,
} from './letters.ts';

/** A chapter of letter-endings.test.ts: before the retirement and after it, with an old backend and without one. */

interface Stage {
  system: () => System;
  clock: SettableClock;
}

export const flat = ({ text }: Letter) => text.replace(/\s+/g, ' ');

/** The same bridge without an old backend. */
export function withoutOldBackend(system: System): System {
  const context = { ...system.bridge.context, oldBackend: undefined };
  return { ...system, bridge: { ...system.bridge, context } };
}

const AFTER = RETIREMENT + 9 * 3_600_000;
const SUNSET_DUE = { milestone: 'sunset', at: SUNSET } as const;
const UNTRUE_WHEN_REFUSED =
  /[Hh](as|ave) stopped working|[Ss]tops? working|the date was|since then|from then on/;
const READS = 'and posts again; changing posting times has ended';

const newApp = (system: System) =>
  registerLegacyApp(system.bridge, 'https://worlds.example/cb', DANA.accountId);

async function appWith(
  system: System,
  states: ReadonlyArray<'unmapped' | 'reauthorization_required' | 'active'>,
) {
  const app = await newApp(system);
  for (const state of states) await waitingToken(system, { app, accountId: DANA.accountId, state });
  return app;
}

function outages({ system }: Stage) {
  afterEach(() => planOutages(system(), []));

  test.each(['holder', 'owner'] as const)(
    'test outages that change nothing are not told to the %s',
    async (role) => {
      const app = await appWith(system(), ['unmapped']);
      const due = role === 'holder' ? toHolder(app) : toOwner(app);
      const said = async (where: System) => flat(await letterTo(where, DANA_PERSON, [due]));
      await planOutages(system(), ['retirement', 'sunset']);
      const [have, lack] = [await said(system()), await said(withoutOldBackend(system()))];
      expect(have).toMatch(/tokens that are not connected are refused - 21 January.*every call is refused/);
      expect(lack).toMatch(/to show what will fail: - 21 January 2027, \S+ to \S+ \S+ every call is refused/);
      expect(lack).not.toContain('20 January');
      await planOutages(system(), ['retirement']);
      await exempt(system(), app.clientId);
      expect(await said(withoutOldBackend(system()))).not.toContain('test outages');
      expect(await said(system())).toContain('is left out of the short test outages');
    },
  );

  test('without a date nothing is said to come before one', async () => {
    await setDates(system(), {});
    await planOutages(system(), ['retirement']);
    const app = await appWith(system(), ['unmapped']);
    const due = toOwner(app, { milestone: undefined, at: undefined, isAsked: true });
    const said = flat(await letterTo(system(), DANA_PERSON, [due]));
    expect(said).toContain('Short test outages (brownouts), to show what will fail: - 20 January');
  });
}

async function told(where: System, due: Parameters<typeof letterTo>[2]) {
  const letter = await letterTo(where, DANA_PERSON, due);
  return { subject: letter.subject, text: flat(letter), calendar: letter.calendar ?? '' };
}

function retired({ system, clock }: Stage) {
  test('after the retirement the date is blamed where it took something, and nowhere else', async () => {
    clock.set(AFTER);
    const app = await appWith(system(), ['unmapped']);
    const [holder, owner] = [toHolder(app), toOwner(app)];
    const has = await told(system(), [holder]);
    expect(has.subject).toBe('“Report tool” has stopped working (1 February 2027)');
    expect(has.text).toContain('Has stopped working: the date was 1 February 2027');
    const without = withoutOldBackend(system());
    const lacks = await told(without, [holder]);
    expect(lacks.subject).toBe('“Report tool” is refused now: connect it');
    expect(lacks.text).toContain('Is refused now: connect it and it works again.');
    expect(lacks.text).toContain(`Connect the app once, and it reads ${READS}.`);
    expect(lacks.text).not.toMatch(UNTRUE_WHEN_REFUSED);
    const owned = await told(without, [owner]);
    expect(owned.subject).toBe('“Report tool”: 12 tokens are refused now');
    expect(owned.text).toContain('12 tokens of its users are refused now: once connected, they work again.');
    expect(owned.text).toContain(`Once they connect it, it reads ${READS}.`);
    expect(owned.text).not.toMatch(UNTRUE_WHEN_REFUSED);
    expect((await told(system(), [owner])).subject).toContain('12 tokens have stopped working');
  });

  test('what was refused before the retirement was not taken by it', async () => {
    const app = await appWith(system(), ['reauthorization_required', 'unmapped', 'unmapped']);
    const dead = await appWith(system(), ['reauthorization_required']);
    clock.set(AFTER);
    const part = { tokens: { waiting: 3, active: 1 }, accounts: { waiting: 1, active: 1 } };
    const owned = await told(system(), [toOwner(app, { part })]);
    expect(owned.subject).toBe('“Report tool”: 2 tokens have stopped working (1 February 2027)');
    expect(owned.text).toContain('3 tokens are refused now');
    const held = await told(system(), [toHolder(dead)]);
    expect(held.subject).toBe('“Report tool” is refused now: connect it');
    expect(held.text).toContain(`Connect the app once, and it reads ${READS}.`);
    expect(held.text).not.toContain('needs no change');
    expect(held.text).not.toMatch(UNTRUE_WHEN_REFUSED);
  });

  test('a date that is past is not there to be rehearsed', async () => {
    const app = await appWith(system(), ['unmapped']);
    clock.set(AFTER);
    expect((await told(system(), [toOwner(app)])).text).toContain('Rehearse the date');
    await setDates(system(), { retirement: RETIREMENT });
    expect((await told(system(), [toOwner(app)])).text).not.toContain('Rehearse the date');
  });

  test('an owner whose users are all connected reads of no others', async () => {
    clock.set(AFTER);
    const app = await newApp(system());
    const tokens = { waiting: 0, active: 1 };
    const part = { tokens, accounts: tokens, passedAt: AFTER - DAY };
    const { text } = await told(system(), [toOwner(app, { part })]);
    expect(text).toContain('Some of its calls have stopped working: the date was 1 February 2027');
    expect(text).toContain('reads and posts for those who are connected; changing posting times');
    expect(text).not.toContain('Users who have not connected');
    clock.set(NOW);
    const { calendar } = await told(system(), [toOwner(app, { part: { ...part, passedAt: NOW - DAY } })]);
    expect(calendar.replace(/\r\n /g, '')).toContain('SUMMARY:Some calls of “Report tool” stop working');
  });
}

function unused({ system, clock }: Stage) {
  test('an unused app is given no time that it does not have', async () => {
    const app = await appWith(system(), ['unmapped']);
    const said = async (due: Parameters<typeof toOwner>[1]) =>
      flat(
        await letterTo(withoutOldBackend(system()), DANA_PERSON, [toOwner(app, { ...due, stage: 'unused' })]),
      );
    const retirement = await said({ milestone: 'retirement', at: RETIREMENT });
    expect(retirement).toContain('If somebody does, read on how to move. Your app today');
    expect(retirement).not.toContain('1 February');
    expect(await said(SUNSET_DUE)).toContain(
      'read on how to move before 1 June 2027: then the old API ends.',
    );
  });

  test('no connection outlasts the sunset, which is told once', async () => {
    await setDates(system(), { sunset: SUNSET });
    const app = await appWith(system(), ['unmapped']);
    const idle = await letterTo(system(), DANA_PERSON, [toHolder(app, { stage: 'unused', ...SUNSET_DUE })]);
    expect(flat(idle)).not.toContain('otherwise it stops');
    const woken = flat(await letterTo(system(), DANA_PERSON, [toHolder(app, { stage: 'woken' })]));
    expect(woken).toContain('and stops working in 134 days');
    expect(woken).not.toContain('Later, on');
    clock.set(SUNSET + 1000);
    for (const stage of ['died', 'woken', 'unused'] as const) {
      const letter = await letterTo(system(), DANA_PERSON, [toHolder(app, { stage, ...SUNSET_DUE })]);
      expect(letter.subject).not.toContain('connect');
      expect(flat(letter)).not.toMatch(/[Cc]onnect (it|the app)/);
      expect(flat(letter)).toContain('The old API has ended');
    }
  });
}

function mixed({ system, clock }: Stage) {
  test('of two tokens it is said of each what is true of it', async () => {
    const app = await appWith(system(), ['unmapped', 'reauthorization_required']);
    const both = { part: { waiting: 2 } };
    const died = await letterTo(system(), DANA_PERSON, [
      toHolder(app, { stage: 'died', ...both }),
      toHolder(app, both),
    ]);
    expect(died.subject).toBe('“Report tool”: a connection has ended, connect it again');
    expect(flat(died)).toContain('Part of it has stopped working: a connection ended on 18 January 2027');
    expect(flat(died)).not.toMatch(/Has stopped working|Its calls are refused/);
    const ends = toHolder(app, { ...both, ...SUNSET_DUE });
    expect(flat(await letterTo(system(), DANA_PERSON, [ends]))).toContain(
      '1 of the 2 tokens that are not connected is refused already: once the app is connected, it works again.',
    );
    await setDates(system(), { sunset: SUNSET });
    clock.set(SUNSET + 1000);
    expect(flat(await letterTo(system(), DANA_PERSON, [ends]))).not.toContain('works again');
  });

  test('a connected token beside one that waits goes on', async () => {
    const app = await appWith(system(), ['unmapped', 'active']);
    const said = async (where: System, due = toHolder(app)) => {
      const { subject, text } = await told(where, [due]);
      return `${subject}: ${text}`;
    };
    const without = withoutOldBackend(system());
    const refused =
      /“Report tool”: 1 token is refused now: connect it.*Part of it is refused now: connect it/;
    const before = await said(system());
    expect(before).toMatch(/“Report tool”: 1 token stops working in 14.*Part of it stops working in 14 days/);
    expect(before).toContain('a token of it was in use in the last 30 days without being connected');
    const longUnused = await said(system(), toHolder(app, { part: { lastUsedAt: NOW - 90 * DAY } }));
    expect(longUnused).toContain('a token of it is not connected');
    expect(longUnused).not.toContain('was in use in the last 30 days');
    expect(await said(without)).toMatch(refused);
    expect(await said(system(), toHolder(app, SUNSET_DUE))).toMatch(
      /“Report tool” stops.* Stops working in 134/,
    );
    const woken = await said(system(), toHolder(app, { stage: 'woken' }));
    expect(woken).toContain('A token of it is in use again since 16 January 2027, and stops working');
    expect(woken).toMatch(/^“Report tool”: a token of it is in use again: connect it:/);
    const idle = await letterTo(system(), DANA_PERSON, [toHolder(app, { stage: 'unused' })]);
    expect(idle.html).not.toMatch(/\/revoke|[Tt]urn it off/);
    expect(flat(idle)).toContain('Another token of it is connected and goes on.');
    expect(flat(idle)).toContain('a token of it is not connected and was not used in the last 30 days.');
    const { calendar = '' } = await letterTo(system(), DANA_PERSON, [toHolder(app)]);
    expect(calendar.replaceAll('\r\n ', '')).toContain(
      '“Report tool”: tokens that are not connected stop working',
    );
    const died = await said(system(), toHolder(app, { stage: 'died' }));
    expect(died).toMatch(/“Report tool”: a connection has ended.*Part of it has stopped working: a/);
    clock.set(AFTER);
    expect(await said(system())).toMatch(
      /1 token has stopped working.*Part of it has stopped working: the date/,
    );
    expect(await said(without)).toMatch(refused);
  });

  test('before the sunset an owner reads first of what is refused now', async () => {
    const app = await appWith(system(), ['unmapped']);
    const without = withoutOldBackend(system());
    const said = await letterTo(without, DANA_PERSON, [toOwner(app, SUNSET_DUE)]);
    expect(flat(said)).toMatch(
      /12 tokens of its users are refused now: once connected, they work again. Stops working in 134/,
    );
    const part = { tokens: { waiting: 12, active: 0 }, accounts: { waiting: 8, active: 0 } };
    const none = await letterTo(without, DANA_PERSON, [toOwner(app, { ...SUNSET_DUE, part })]);
    expect(none.subject).toBe('“Report tool”: 12 tokens are refused now');
    expect(flat(none)).toContain('it reads and posts again until the old API ends, on 1 June 2027');
    expect(flat(none)).toContain('Ask your users to connect it once');
    expect(flat(none)).not.toMatch(/[Ss]tops working/);
  });

  test('more time is told where it is any, and for the app that has it', async () => {
    const app = await appWith(system(), ['unmapped']);
    await extend(system(), app.clientId, { retirement: RETIREMENT + DAY, sunset: SUNSET + DAY });
    const due = toHolder(app, { at: RETIREMENT + DAY });
    const has = flat(await letterTo(system(), DANA_PERSON, [due]));
    expect(has).toContain('more time: until 2 February 2027 instead of 1 February 2027.');
    expect(has).toContain(
      'more time before the end of the old API: until 2 June 2027 instead of 1 June 2027.',
    );
    expect(has).toContain('Later, on 2 June 2027, the old API ends for this app, connected or not.');
    const lacks = flat(await letterTo(withoutOldBackend(system()), DANA_PERSON, [due]));
    expect(lacks).not.toContain('2 February');
    expect(lacks).toContain('until 2 June 2027 instead of');
    const sunset = toHolder(app, { milestone: 'sunset', at: SUNSET + DAY });
    expect(flat(await letterTo(system(), DANA_PERSON, [sunset]))).not.toContain('for every app');
  });

  test('a date of this day has not come before its hour', async () => {
    const app = await appWith(system(), ['unmapped']);
    const due = toOwner(app, { at: NOW + 3_600_000 });
    expect(flat(await letterTo(system(), DANA_PERSON, [due]))).toContain('the date is today, and 12 tokens');
  });
}

export function worlds(stage: Stage) {
  outages(stage);
  retired(stage);
  unused(stage);
  mixed(stage);
}
