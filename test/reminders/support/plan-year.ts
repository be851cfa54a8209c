import fc from 'fast-check';

/** Years at random: what people and operators do in them, and how the bridges and the mails fare. Times count from the year's start. */

const DAY = 86_400_000;
const HOUR = DAY / 24;

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Pacific/Chatham',
  'Nowhere/At_All',
];
const DAYS = [180, 90, 60, 30, 14, 7, 3, 1, 0];
const APPS = ['a', 'b'];
/** To few days a date comes back. */
const DAYS_AGAIN = [120 * DAY, 150 * DAY];
const time = (days = 365) => fc.integer({ min: 0, max: days * DAY - 1 });

const happenings = fc.array(
  fc.record({
    at: time(),
    what: fc.constantFrom(
      'use',
      'use',
      'act',
      'die',
      'die',
      'wait',
      'wait',
      'work',
      'work',
      'pass',
      'revoke',
    ),
    part: fc.nat(3),
  }),
  { maxLength: 24, size: 'max' },
);

const dateMoves = fc.array(
  fc.record({
    at: time(),
    name: fc.constantFrom('retirement' as const, 'sunset' as const),
    app: fc.constantFrom(undefined, undefined, ...APPS),
    // A date that is taken back is a date of nobody.
    to: fc.option(fc.oneof(time(420), fc.constantFrom(...DAYS_AGAIN)), { nil: undefined, freq: 8 }),
  }),
  { maxLength: 5 },
);

/** What a year depends on; `every` so many days the bridges look, at one of these numbers. */
export const years = (every: readonly number[]) =>
  fc.record({
    zone: fc.constantFrom(...ZONES),
    days: fc.subarray(DAYS, { minLength: 1 }),
    retirement: fc.option(fc.integer({ min: -10 * DAY, max: 380 * DAY }), { nil: undefined, freq: 8 }),
    sunset: fc.option(fc.integer({ min: -10 * DAY, max: 400 * DAY }), { nil: undefined, freq: 2 }),
    parts: fc.array(
      fc.record({
        isOwner: fc.boolean(),
        app: fc.constantFrom(...APPS),
        waits: fc.boolean(),
        /** In days before the year. */
        knownFor: fc.constantFrom(0, 10, 40),
        /** In days; uses beside these happen too. */
        usedEvery: fc.constantFrom(undefined, 7, 7, 20, 29, 31, 45),
      }),
      { minLength: 1, maxLength: 3, size: 'max' },
    ),
    happenings,
    dateMoves,
    /** When bridges look, in the day; every so many days. */
    ticks: fc.array(fc.integer({ min: 0, max: DAY - 1 }), { minLength: 1, maxLength: 2 }),
    every: fc.constantFrom(...every),
    downtimes: fc.array(fc.record({ from: fc.nat(364), days: fc.nat(20) }), { maxLength: 4 }),
    /** How late the clocks of some looks are, and how late some mails leave. */
    lates: fc.array(fc.constantFrom(0, 0, 0, 0, HOUR, 26 * HOUR, 9 * DAY), { minLength: 1, maxLength: 5 }),
    delays: fc.array(fc.constantFrom(0, 0, 0, HOUR, 20 * HOUR, 70 * HOUR), { minLength: 1, maxLength: 5 }),
  });

export type Year = ReturnType<typeof years> extends fc.Arbitrary<infer Value> ? Value : never;
