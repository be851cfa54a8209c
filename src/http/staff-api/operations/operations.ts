import type { ApiOperation } from '../operation.ts';
import { ACCOUNT_OPERATIONS } from './accounts.ts';
import { APP_WRITES } from './app-writes.ts';
import { APP_OPERATIONS } from './apps.ts';
import { DATE_WRITES } from './date-writes.ts';
import { DATE_OPERATIONS } from './dates.ts';
import { DESK_OPERATIONS } from './desks.ts';
import { ENDED_OPERATIONS } from './ended.ts';
import { HISTORY_OPERATIONS } from './history.ts';
import { JOB_OPERATIONS } from './jobs.ts';
import { KEY_OPERATIONS } from './keys.ts';
import { LEAK_WRITES } from './leak-writes.ts';
import { IMPORT_WRITES } from './machine/import-rows.ts';
import { CHECK_OPERATIONS } from './machine/own-checks.ts';
import { REMINDER_PLANS } from './machine/reminder-plans.ts';
import { MAIL_WRITES } from './mail-writes.ts';
import { NUMBER_OPERATIONS } from './numbers.ts';
import { SEARCH_OPERATIONS } from './search.ts';
import { TIME_WRITES } from './time-writes.ts';
import { TOKEN_WRITES } from './token-writes.ts';
import { TOKEN_OPERATIONS } from './tokens.ts';

/** Every operation of the staff API. */
export const OPERATIONS: readonly ApiOperation[] = [
  ...KEY_OPERATIONS,
  ...SEARCH_OPERATIONS,
  ...TOKEN_OPERATIONS,
  ...APP_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...DESK_OPERATIONS,
  ...ENDED_OPERATIONS,
  ...NUMBER_OPERATIONS,
  ...CHECK_OPERATIONS,
  ...DATE_OPERATIONS,
  ...HISTORY_OPERATIONS,
  ...TOKEN_WRITES,
  ...LEAK_WRITES,
  ...APP_WRITES,
  ...TIME_WRITES,
  ...DATE_WRITES,
  ...MAIL_WRITES,
  ...JOB_OPERATIONS,
  ...REMINDER_PLANS,
  ...IMPORT_WRITES,
];
