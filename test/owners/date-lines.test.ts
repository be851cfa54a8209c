import type { Lifecycle } from '../../src/domain/lifecycle/lifecycle.ts';
import { daysLeft, daysLeftWords } from '../../src/http/wording/days-left.ts';
import type { Sentence } from '../../src/http/wording/words.ts';
import { oldApiStatusOf } from '../../src/domain/lifecycle/old-api-status.ts';
import { brownoutLines, connectByWords, dateLines, nextLine } from '../../src/http/wording/dates/lines.ts';
import { appNeed } from '../../src/http/owners/home/home-needs.ts';
import { progressWords } from '../../src/http/owners/progress/progress-words.ts';

/** What owners and holders are told of the dates, in each combination of them. */

const at = (text: string) => Date.parse(text);
function partText(part: Sentence[number]): string {
  if (typeof part === 'number') return new Date(part).toISOString().slice(0, 16);
  return typeof part === 'string' ? part : daysLeftWords(part);
}
const textOf = (parts: Sentence | undefined) => parts?.map(partText).join('');
const NOW = at('2026-11-22T12:00:00Z');

function known(given: Partial<Lifecycle> = {}): Lifecycle {
  return { dates: {}, extensions: new Map(), exemptions: new Map(), brownouts: [], ...given };
}

const asOfApp = (lifecycle: Partial<Lifecycle>, { now = NOW, hasBackend = true } = {}) => ({
  lifecycle: known(lifecycle),
  clientId: 'app',
  now,
  hasBackend,
});

function seen(lifecycle: Partial<Lifecycle>, now = NOW, hasBackend = true) {
  const asOf = asOfApp(lifecycle, { now, hasBackend });
  const lines = dateLines(asOf).map(
    (line) => `${line.milestone} ${textOf([line.left ?? 'past', ' ', line.at])}`,
  );
  return {
    lines,
    next: nextLine(asOf)?.milestone,
    phase: oldApiStatusOf(asOf).phase,
    connectBy: textOf(connectByWords(asOf)),
  };
}

const RETIREMENT = at('2027-02-01');
const SUNSET = at('2027-06-01');
const later = (times: Partial<Record<'retirement' | 'sunset', number>>) => new Map([['app', times]]);

describe('the dates in words', () => {
  test('nothing is set', () => {
    expect(seen({})).toEqual({ lines: [], next: undefined, phase: 'before', connectBy: undefined });
    expect(seen({ extensions: later({ retirement: SUNSET }) }).lines).toEqual([]);
    expect(seen({ dates: { deprecation: NOW } }).lines).toEqual([]);
  });

  test('both are ahead, the earlier first', () => {
    expect(seen({ dates: { retirement: RETIREMENT, sunset: SUNSET } })).toEqual({
      lines: ['retirement in 71 days 2027-02-01T00:00', 'sunset in 191 days 2027-06-01T00:00'],
      next: 'retirement',
      phase: 'before',
      connectBy:
        'Connect it by 2027-02-01T00:00 (in 71 days): from then on the old API answers none of its calls.',
    });
  });

  test.each([
    ['2027-02-01T00:00:00.001Z', 'tomorrow', '2027-01-31T00:00:00Z'],
    ['2027-02-01T00:00:00.000Z', 'tomorrow', '2027-01-31T23:59:59.999Z'],
    ['2027-02-01T18:00:00.000Z', 'today', '2027-02-01T00:00:00Z'],
    ['2027-02-01T18:00:00.000Z', 'today', '2027-02-01T17:59:59.999Z'],
    ['2027-02-01T18:00:00.000Z', 'past', '2027-02-01T18:00:00Z'],
    ['2027-02-01T18:00:00.000Z', 'in 2 days', '2027-01-30T23:00:00Z'],
  ])('%s is %s on %s', (date, words, now) => {
    expect(seen({ dates: { sunset: at(date) } }, at(now)).lines[0]).toContain(`sunset ${words} `);
  });

  test.each([
    ['2027-02-01T18:00:00Z', '2027-02-01T17:59:59Z', 'less than a day left'],
    ['2027-02-01T00:00:00Z', '2027-01-31T23:59:59Z', '1 day left'],
    ['2027-02-01T00:00:00Z', '2026-12-03T00:00:00Z', '60 days left'],
    ['2027-02-01T00:00:00Z', '2027-02-01T00:00:00Z', ''],
  ])('a badge for %s says on %s: %s', (date, now, words) => {
    expect(textOf([daysLeft(at(date), at(now), 'left') ?? ''])).toBe(words);
  });

  test('after the retirement connecting is of use until the sunset, and not later', () => {
    const dates = { retirement: RETIREMENT, sunset: SUNSET };
    expect(seen({ dates }, RETIREMENT)).toMatchObject({
      next: 'sunset',
      phase: 'retired',
      connectBy: expect.stringMatching(
        /^The old API .* since 2027-02-01T00:00\. Connect it.*, until the old API ends on 2027-06-01T00:00 \(in 120 days\)\.$/,
      ),
    });
    expect(seen({ dates: { retirement: RETIREMENT } }, RETIREMENT)).toMatchObject({
      next: 'retirement',
      connectBy:
        'The old API has answered none of its calls since 2027-02-01T00:00. Connect it, and it works again.',
    });
    expect(seen({ dates }, SUNSET)).toEqual({
      lines: ['sunset past 2027-06-01T00:00'],
      next: 'sunset',
      phase: 'ended',
      connectBy: undefined,
    });
  });

  test('an extension moves the date of its app alone, and is said where it is later', () => {
    const dates = { retirement: RETIREMENT };
    const [line] = dateLines({
      lifecycle: known({ dates, extensions: later({ retirement: SUNSET }) }),
      clientId: 'app',
      now: RETIREMENT,
      hasBackend: true,
    });
    expect(line).toMatchObject({ at: SUNSET, isPast: false, forOthers: RETIREMENT });
    const [other] = dateLines({
      lifecycle: known({ dates, extensions: later({ retirement: SUNSET }) }),
      clientId: 'other',
      now: RETIREMENT,
      hasBackend: true,
    });
    expect(other).toMatchObject({ at: RETIREMENT, isPast: true, forOthers: undefined });
    const [vain] = dateLines({
      lifecycle: known({ dates, extensions: later({ retirement: NOW }) }),
      clientId: 'app',
      now: NOW,
      hasBackend: true,
    });
    expect(vain).toMatchObject({ at: RETIREMENT, forOthers: undefined });
  });

  test('a retirement that the sunset comes before is not spoken of', () => {
    const dates = { retirement: RETIREMENT, sunset: SUNSET };
    const extensions = later({ retirement: SUNSET + 1 });
    expect(seen({ dates, extensions }).lines).toEqual(['sunset in 191 days 2027-06-01T00:00']);
  });

  test('of the brownouts those stand there that the app will meet', () => {
    const hour = 3_600_000;
    const one = (id: string, startsAt: number, more = {}) => ({
      id,
      clientId: undefined,
      rehearses: 'retirement' as const,
      startsAt,
      endsAt: startsAt + hour,
      text: id,
      ...more,
    });
    const brownouts = [
      one('over', NOW - hour),
      one('the own one that runs', NOW - 0.5 * hour, { clientId: 'app' }),
      one('of another app', NOW, { clientId: 'other' }),
      one('spared', NOW + hour),
      one('spared at its begin', NOW + 1.5 * hour),
      one('later', NOW + 5 * hour, { rehearses: 'sunset' }),
      one('after the date', RETIREMENT),
    ];
    const lifecycle = known({
      dates: { retirement: RETIREMENT },
      exemptions: new Map([['app', NOW + 2 * hour]]),
      brownouts,
    });
    const asOf = { lifecycle, clientId: 'app', now: NOW };
    const lines = brownoutLines({ ...asOf, hasBackend: true });
    const [unmapped, all] = [
      'Tokens that are not connected are refused.',
      'Every call to the old API is refused.',
    ];
    expect(brownoutLines({ ...asOf, hasBackend: false })).toEqual(lines.slice(2));
    expect(lines).toEqual([
      {
        startsAt: at('2026-11-22T11:30:00Z'),
        endsAt: at('2026-11-22T12:30:00Z'),
        isNow: true,
        isOwn: true,
        meaning: unmapped,
      },
      {
        startsAt: at('2026-11-22T13:30:00Z'),
        endsAt: at('2026-11-22T14:30:00Z'),
        isNow: false,
        isOwn: false,
        meaning: unmapped,
      },
      {
        startsAt: at('2026-11-22T17:00:00Z'),
        endsAt: at('2026-11-22T18:00:00Z'),
        isNow: false,
        isOwn: false,
        meaning: all,
      },
    ]);
  });
});

const lone = (lifecycle: Partial<Lifecycle>, now = NOW) => seen(lifecycle, now, false);

describe('without an old API, where nothing waits for a date to be refused', () => {
  const dates = { retirement: RETIREMENT, sunset: SUNSET };
  const UNTIL = 'Once connected, it works until the old API ends on 2027-06-01T00:00 (in';

  test('only the sunset is something to connect before', () => {
    expect(lone({}).connectBy).toBe('Until the app is connected, its calls are refused.');
    for (const now of [NOW, RETIREMENT])
      expect(lone({ dates: { retirement: RETIREMENT } }, now).connectBy).toBe(lone({}).connectBy);
    expect(lone({ dates }).connectBy).toBe(`${lone({}).connectBy} ${UNTIL} 191 days).`);
    expect(lone({ dates }, RETIREMENT).connectBy).toBe(`${lone({}).connectBy} ${UNTIL} 120 days).`);
    expect(lone({ dates }, SUNSET).connectBy).toBeUndefined();
  });

  test('a retirement is told as one that changes nothing, and what does goes before it', () => {
    expect(lone({ dates: { retirement: RETIREMENT } }).next).toBe('retirement');
    expect(lone({ dates }).next).toBe('sunset');
    for (const now of [RETIREMENT - 1, RETIREMENT]) {
      const lines = dateLines(asOfApp({ dates }, { now, hasBackend: false }));
      expect(lines.map(({ changesCalls, kind }) => [changesCalls, kind])).toEqual([
        [false, ''],
        [true, ''],
      ]);
      expect(lines[0]?.meaning).toMatch(
        /^A token that is not connected is refused here already, so the retirement changes nothing\./,
      );
    }
  });
});

const TEXT = '1 of 3 tokens is connected or moved; 2 are not connected.';

test.each([
  ['no date', true, {}, NOW, 'No retirement date is set yet.'],
  [
    'a date ahead',
    true,
    { retirement: RETIREMENT },
    NOW,
    'The old API retires in 71 days. From then on none of them works until it is connected.',
  ],
  [
    'a date that has passed',
    true,
    { retirement: RETIREMENT },
    RETIREMENT,
    'Since 2027-02-01T00:00 they are refused until connected.',
  ],
  ['no old API, and no date', false, {}, NOW, 'They are refused until connected.'],
  ['no old API', false, { retirement: RETIREMENT }, NOW, 'They are refused until connected.'],
  [
    'the end of all',
    true,
    { retirement: RETIREMENT, sunset: SUNSET },
    SUNSET,
    'The old API has ended: connecting helps no more.',
  ],
])('progress with %s', (_says, hasBackend, dates, now, words) => {
  const told = progressWords({ mapped: 1, waiting: 2, migrated: 0 }, asOfApp({ dates }, { now, hasBackend }));
  expect(textOf(told)).toBe(`${TEXT} ${words}`);
});

test.each([
  [
    true,
    '“Printer” is not connected to the new API yet',
    'A program that nobody registered uses your account',
  ],
  [
    false,
    '“Printer” is refused now: it is not connected to the new API',
    'A program that nobody registered is refused now',
  ],
])('what needs its holder, with an old API: %s', (hasBackend, registered, program) => {
  const app = { clientId: 'app', name: 'Printer', counts: {}, unknownThere: 0, waiting: 1, alive: 1 };
  const asOf = asOfApp({ dates: { retirement: RETIREMENT } }, { hasBackend });
  const need = (isUnidentified: boolean) => appNeed({ ...app, isUnidentified }, { stopped: undefined, asOf });
  expect([need(false).heading, need(true).heading]).toEqual([registered, program]);
  expect(textOf(need(false).words)).toBe(
    hasBackend
      ? 'Connect once, and 1 token works. Connect it by 2027-02-01T00:00 (in 71 days): from then on the old API answers none of its calls.'
      : 'Connect once, and 1 token works, for calls that the new API answers. Until the app is connected, its calls are refused.',
  );
  const stopped = { reason: 'grant_lost', at: NOW };
  expect(appNeed({ ...app, isUnidentified: false }, { stopped, asOf }).kind).toBe('error');
});

test('a token that was made with its app is refused until it is connected, whatever the old API answers', () => {
  const app = {
    clientId: 'app',
    name: 'Printer',
    counts: { unmapped: 1 },
    unknownThere: 1,
    waiting: 1,
    alive: 1,
  };
  const asOf = asOfApp({ dates: { retirement: RETIREMENT } }, { hasBackend: true });
  const { heading, words } = appNeed({ ...app, isUnidentified: false }, { stopped: undefined, asOf });
  expect(heading).toBe('“Printer” is refused now: it is not connected to the new API');
  expect(textOf(words)).toBe(
    'Connect once, and 1 token works, for calls that the new API answers. Until the app is connected, its calls are refused.',
  );
});
