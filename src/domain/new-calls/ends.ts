import { type CallPair, env, READ } from './call-pair.ts';

/** The old calls that no operation of the new API replaces. */

/** The callers whose old calls the new API answers (`old-calls/who-answers.ts`). */
const WHERE_NEW_ANSWERS =
  'Where the new API answers (tokens that were given out here, accounts that were switched to it, tokens that the old API refuses, and all once the old API has gone)';

export const deauthorizePair: CallPair = {
  does: 'End the app for the account',
  old: { isPost: true },
  steps: [
    {
      kind: 'revocation',
      form: [
        ['token', env('REFRESH_TOKEN')],
        ['client_id', env('MODERN_CLIENT_ID')],
        ['client_secret', env('MODERN_CLIENT_SECRET')],
      ],
    },
  ],
  words:
    'The authorization server ends the connection (RFC 7009), and answers with status 200 and no body. The person can do the same in the settings of the new API.',
  isForPerson: true,
  renamed: [],
};

export const updateSchedulesPair: CallPair = {
  does: 'Other posting times for a profile',
  old: {
    isPost: true,
    form: [
      ['schedules[0][days][]', 'mon'],
      ['schedules[0][times][]', '06:00'],
    ],
  },
  steps: [],
  words: `No program can change posting times at the new API. A person does it in the settings. ${WHERE_NEW_ANSWERS}, the old call is refused with code 1012.`,
  isForPerson: true,
  renamed: [],
};

export const interactionsPair: CallPair = {
  does: 'Who reacted to an update',
  old: READ,
  steps: [],
  words: `The new API tells an app of no interactions, so leave the call out of your program. ${WHERE_NEW_ANSWERS}, the old call is answered with an empty list.`,
  renamed: [],
};

export const sharesPair: CallPair = {
  does: 'How often a link was shared',
  old: { ...READ, query: [['url', 'https://bakery.example/']] },
  steps: [],
  words: `The new API counts no shares, so leave the call out of your program. ${WHERE_NEW_ANSWERS}, the old call is answered with 0 shares.`,
  renamed: [],
};

export const configurationPair: CallPair = {
  does: 'Services and their limits',
  old: READ,
  steps: [],
  words:
    'The new API has no such table, so keep what your program needs of it. A post that is too long is refused in words, and `dailyPostingLimits` says how many posts a channel may send on a day.',
  renamed: [],
};
