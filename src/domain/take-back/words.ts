import type { DeedKind } from '../../store/tables/deeds.ts';

/** What is said before an action: whether it can be taken back, until when, and what would be lost. */

const WEEK = 'It can be taken back for seven days';

/** By the action, one sentence each. No page retires an app. */
export const SAID_BEFORE: Readonly<Record<Exclude<DeedKind, 'retire'>, string>> = {
  revoke: `${WEEK}, unless the token is the last of its connection: then the new API is told to end the connection, and that cannot be taken back.`,
  assign: `${WEEK}, as long as nothing else changes the token, and unless its former connection ends because no other token uses it.`,
  pin: `${WEEK}, as long as the account has not connected anything of it and has not changed its apps.`,
  give: `${WEEK}, as long as the new owner has not changed the app.`,
  cut_over: `${WEEK}, as long as the percentage is not changed again. Posts that were made meanwhile stay where they were made.`,
  extend: `${WEEK}, as long as the time is not changed again.`,
  unextend: `${WEEK}, as long as no other time is given.`,
  confirm:
    'For seven days after the hand-over a confirmation can be taken back, and the app can fetch the same pair once more.',
};
