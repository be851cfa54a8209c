import fc from 'fast-check';
import { liveThrough } from './support/plan-life.ts';
import { years } from './support/plan-year.ts';

/**
 * Years of random dates, moves, extensions, states, uses, downtimes, late clocks and late mails: nobody is told of a stage
 * twice, no stage that is on at a look is forgotten, and nobody is told after acting.
 */

test('of thousands of years none has a person told twice, forgotten, or told after acting', () => {
  const seen = { told: 0, mails: 0, kinds: new Set<string>() };
  const property = fc.property(years([1, 1, 2, 3]), (year) => {
    const { told, mails } = liveThrough(year);
    seen.told += told.length;
    seen.mails += mails;
    for (const words of told) seen.kinds.add(words.split(' ').slice(1, 3).join(' '));
  });
  fc.assert(property, { numRuns: 2000 });
  // A year in which nothing is due would prove nothing.
  expect(seen.mails).toBeGreaterThan(4000);
  for (const kind of [
    'holder died',
    'holder woken',
    'holder unused',
    'owner unused',
    'holder 0',
    'owner 0',
    'owner 7',
  ])
    expect(seen.kinds).toContain(kind);
}, 1_200_000);
