import { checkYears } from './support/check-years.ts';

test('no year has a person told twice, forgotten, or told after acting', () => {
  checkYears({ every: [2, 3, 5, 7], runs: 60, mailsLeast: 120, seed: 1 });
});
