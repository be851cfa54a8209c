import fc from 'fast-check';
import {
  type Brownout,
  dateFor,
  dependsOnApp,
  endingOf,
  type LifecycleEnding,
  type Lifecycle,
  type Milestone,
} from '../../src/domain/lifecycle/lifecycle.ts';

/**
 * The rules of dates, extensions, exemptions and brownouts hold for any of them, at any moment (docs/decisions/0012).
 */

const APPS = ['a', 'b', 'c'] as const;
/** Nothing is planned for the last of them. */
const ASKED = [...APPS, 'stranger', undefined] as const;

const moment = fc.integer({ min: 0, max: 40 });
const app = fc.constantFrom(...APPS);
const milestone = fc.constantFrom<Milestone>('retirement', 'sunset');
const maybe = { requiredKeys: [] as [] };

const brownout = fc
  .record({
    clientId: fc.option(app, { nil: undefined }),
    rehearses: milestone,
    startsAt: moment,
    length: fc.integer({ min: 1, max: 15 }),
  })
  .map(({ length, ...rest }) => ({ ...rest, endsAt: rest.startsAt + length }));

const lifecycle: fc.Arbitrary<Lifecycle> = fc
  .record({
    dates: fc.record({ deprecation: moment, retirement: moment, sunset: moment }, maybe),
    extensions: fc.dictionary(app, fc.record({ retirement: moment, sunset: moment }, maybe)),
    exemptions: fc.dictionary(app, moment),
    brownouts: fc.array(brownout, { maxLength: 4 }),
  })
  .map(({ dates, extensions, exemptions, brownouts }) => ({
    dates,
    extensions: new Map(Object.entries(extensions)),
    exemptions: new Map(Object.entries(exemptions)),
    brownouts: brownouts
      .toSorted((one, other) => one.startsAt - other.startsAt)
      .map((one, index): Brownout => ({ ...one, id: String(index), text: 'why' })),
  }));

const asked = fc.constantFrom(...ASKED);

/** What a caller sees of an ending. */
const seen = (ending: LifecycleEnding | undefined) =>
  ending?.because === 'brownout' ? ending.brownout.id : ending?.because;

const RUNS = { numRuns: 2000 };
/** Of what is only about endings, after those without one were left out. */
const ENDED = { numRuns: 300 };

test('an extension never shortens: the date of an app is the one of all, or a later one', () => {
  fc.assert(
    fc.property(lifecycle, milestone, asked, (known, which, clientId) => {
      const [common, own] = [dateFor(known, which, undefined), dateFor(known, which, clientId)];
      const until = clientId === undefined ? undefined : known.extensions.get(clientId)?.[which];
      if (common === undefined) return expect(own).toBeUndefined();
      expect(own).toBe(Math.max(common, until ?? common));
    }),
    RUNS,
  );
});

test('once its date has come for an app it stays, at the same moment', () => {
  fc.assert(
    fc.property(lifecycle, milestone, asked, moment, moment, (known, which, clientId, one, other) => {
      const [now, later] = [Math.min(one, other), Math.max(one, other)];
      const before = endingOf(known, which, { clientId, now });
      fc.pre(before?.because === 'date');
      expect(endingOf(known, which, { clientId, now: later })).toEqual(before);
      expect(before).toMatchObject({ at: dateFor(known, which, clientId) });
      expect(now).toBeGreaterThanOrEqual(dateFor(known, which, clientId)!);
    }),
    ENDED,
  );
});

test('a brownout touches its window and its apps alone, and never an app that is exempt', () => {
  fc.assert(
    fc.property(lifecycle, milestone, asked, moment, (known, which, clientId, now) => {
      const ending = endingOf(known, which, { clientId, now });
      fc.pre(ending?.because === 'brownout');
      const { brownout: met } = ending;
      expect(met.rehearses).toBe(which);
      expect(met.startsAt).toBeLessThanOrEqual(now);
      expect(met.endsAt).toBeGreaterThan(now);
      if (met.clientId !== undefined) expect(met.clientId).toBe(clientId);
      else expect(known.exemptions.get(clientId ?? '') ?? 0).toBeLessThanOrEqual(now);
    }),
    ENDED,
  );
});

test('whom a brownout concerns meets one from its first millisecond to its last', () => {
  fc.assert(
    fc.property(lifecycle, asked, (known, clientId) => {
      const concerned = known.brownouts.filter((one) =>
        one.clientId === undefined ? !known.exemptions.has(clientId ?? '') : one.clientId === clientId,
      );
      for (const { rehearses, startsAt, endsAt } of concerned) {
        expect(endingOf(known, rehearses, { clientId, now: startsAt })).toBeDefined();
        expect(endingOf(known, rehearses, { clientId, now: endsAt - 1 })).toBeDefined();
      }
    }),
    RUNS,
  );
});

test('the own brownout of an app goes before one of all', () => {
  const window = { rehearses: 'sunset', startsAt: 0, endsAt: 9, text: 'why' } as const;
  const brownouts = [
    { ...window, id: 'all', clientId: undefined },
    { ...window, id: 'own', clientId: 'a' },
  ];
  const known: Lifecycle = { dates: {}, extensions: new Map(), exemptions: new Map(), brownouts };
  const ids = ['a', 'b', undefined].map((clientId) => seen(endingOf(known, 'sunset', { clientId, now: 1 })));
  expect(ids).toEqual(['own', 'all', 'all']);
});

test('it depends on the app exactly when some app is answered otherwise than a call of an unknown one', () => {
  fc.assert(
    fc.property(lifecycle, milestone, moment, (known, which, now) => {
      const answers = ASKED.map((clientId) => seen(endingOf(known, which, { clientId, now })));
      expect(dependsOnApp(known, which, now)).toBe(new Set(answers).size > 1);
    }),
    RUNS,
  );
});
