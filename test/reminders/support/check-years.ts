import fc from 'fast-check';
import { liveThrough } from './plan-life.ts';
import { years } from './plan-year.ts';

interface Checked {
  /** How many days apart the looks of a year are: one of these. */
  every: readonly number[];
  runs: number;
  /** A year in which nothing is due would prove nothing. */
  mailsLeast: number;
  /** The same years each time; without it others, of which one may show something new. */
  seed?: number;
}

const KINDS = [
  'holder died',
  'holder woken',
  'holder unused',
  'owner unused',
  'holder 0',
  'owner 0',
  'owner 7',
];

/**
 * Years of random dates, moves, extensions, states, uses, downtimes, late clocks and late mails: nobody is told of a stage
 * twice, no stage that is on at a look is forgotten, and nobody is told after acting.
 */
export function checkYears({ every, runs, mailsLeast, seed }: Checked): void {
  const seen = { mails: 0, kinds: new Set<string>() };
  const property = fc.property(years(every), (year) => {
    const { told, mails } = liveThrough(year);
    seen.mails += mails;
    for (const words of told) seen.kinds.add(words.split(' ').slice(1, 3).join(' '));
  });
  fc.assert(property, { numRuns: runs, ...(seed !== undefined && { seed }) });
  expect(seen.mails).toBeGreaterThan(mailsLeast);
  for (const kind of KINDS) expect(seen.kinds).toContain(kind);
}
