import { checkYears } from './support/check-years.ts';

test('no year of many more has a person told twice, forgotten, or told after acting', () => {
  checkYears({ every: [2, 3, 5, 7], runs: 300, mailsLeast: 600, seed: 2 });
}, 240_000);
