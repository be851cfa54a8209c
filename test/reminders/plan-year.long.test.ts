import { checkYears } from './support/check-years.ts';

test('of thousands of years none has a person told twice, forgotten, or told after acting', () => {
  checkYears({ every: [1, 1, 2, 3], runs: 2000, mailsLeast: 4000 });
}, 1_200_000);
