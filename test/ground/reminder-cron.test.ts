import { readConfig } from '../../src/config/config.ts';
import { CRON_NAMES } from '../../src/config/cron-problem.ts';
import { complaints } from './complaints.ts';

/** When reminders are planned: what is taken, and what is said of the rest. */

const CRON_FORM =
  'must be a cron expression of five or six fields, such as */15 * * * *, or one of @hourly @daily @midnight @weekly @monthly @yearly @annually';

const WRONG_CRONS = [
  ['hourly', CRON_FORM],
  ['@reboot', CRON_FORM],
  ['@every 5m', CRON_FORM],
  ['* * * *', CRON_FORM],
  ['0 9 31 2 *', 'never comes, because none of its months has one of its days'],
  ['0 9 31 4,6 *', 'never comes'],
  ['61 * * * *', 'has a wrong value for the minute'],
  ['*/0 * * * *', 'has a wrong value for the minute'],
  ['0 9 32 * *', 'has a wrong value for the day of the month'],
  ['0 9 * * 9', 'has a wrong value for the day of the week'],
  ['*/99 * * * *', 'has a step beyond the end of the minute'],
  ['0 0-23/36 * * *', 'has a step beyond the end of the hour'],
  ['*/90 * * * * *', 'has a step beyond the end of the second'],
] as const;

test.each(WRONG_CRONS)('REMINDER_CRON may not be %s', (cron, words) => {
  expect(complaints({ REMINDER_CRON: cron })).toEqual([expect.stringContaining(`REMINDER_CRON: ${words}`)]);
});

test.each([...CRON_NAMES, '*/5 * * * * *', '0 9 * jan mon'])('REMINDER_CRON may be %s', (cron) => {
  expect(readConfig({ REMINDER_CRON: cron }).reminderCron).toBe(cron);
});
