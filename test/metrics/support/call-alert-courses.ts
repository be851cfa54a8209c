import { type AlertCourses, type Course, durations, gauge, grows, MINUTES } from './minutes.ts';

/** What makes the alerts about calls, of the old addresses and to the new API, fire, and what almost does. */

/** Calls of a good day, each minute. */
const CALLS = 6000;
const NEW_API = 600;

/** By whom a call of the good day is answered, by its outcome: one series each, so that shares are exact. */
const ANSWERED_BY: Record<string, string> = {
  answered: 'new',
  failed: 'new',
  refused: 'bridge',
  shed: 'bridge',
};

const calls = (outcome: string, values: string): Course => ({
  metric: 'grantbridge_calls_total',
  labels: { endpoint: 'profiles', carrier: 'header', outcome, answered_by: ANSWERED_BY[outcome] ?? '' },
  values,
});

/** The exchange of a code: few calls among many others. */
const exchanges = (outcome: string, values: string): Course => ({
  metric: 'grantbridge_calls_total',
  labels: { endpoint: 'token', outcome },
  values,
});

/** Answers of the pages of owners, as one part among others. */
const site = (outcome: string, values: string): Course => ({
  metric: 'grantbridge_site_answers_total',
  labels: { part: 'owners', outcome },
  values,
});

/** Sign-ins that came back from the new API, as one purpose among others. */
const signIns = (outcome: string, values: string): Course => ({
  metric: 'grantbridge_consents_total',
  labels: { purpose: 'sign_in', outcome },
  values,
});

const newApi = (outcome: string, values: string, call = 'read'): Course => ({
  metric: 'grantbridge_new_api_seconds_count',
  labels: { call, outcome },
  values,
});

/** The seconds that all answered reads of the new API took together. */
const readSeconds = (values: string): Course => ({
  metric: 'grantbridge_new_api_seconds_sum',
  labels: { call: 'read', outcome: 'answered' },
  values,
});

export const CALLS_OF_GOOD_DAY: Course[] = [
  calls('answered', grows(CALLS)),
  newApi('answered', grows(NEW_API)),
  { metric: 'grantbridge_call_seconds_bucket', values: grows(CALLS) },
];

const LIMITS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

const ofCalls = (answeredBy: string, slow: number): Course[] =>
  durations('grantbridge_call_seconds', LIMITS, { all: CALLS, slow, above: 2.5 }).map((course) => ({
    ...course,
    labels: { ...course.labels, answered_by: answeredBy },
  }));

const TOKEN = { endpoint: 'token' };

/** Exchanges, so many a minute, and so many slow ones of them. */
const ofExchanges = (all: number, slow: number): Course[] => [
  { metric: 'grantbridge_call_seconds_count', labels: TOKEN, values: grows(all) },
  { metric: 'grantbridge_call_seconds_bucket', labels: TOKEN, values: grows(all) },
  ...durations('grantbridge_call_seconds', LIMITS, { all, slow, above: 2.5 }).map((course) => ({
    ...course,
    labels: { ...course.labels, ...TOKEN },
  })),
];

/** One and zero in turn, each minute. */
const FLIPS = Array.from({ length: MINUTES + 1 }, (_, minute) => minute % 2).join(' ');

export const CALL_COURSES: Record<string, AlertCourses[]> = {
  GrantbridgeCallsFail: [
    {
      fires: [calls('failed', grows(CALLS * 0.011))],
      quiet: [calls('failed', grows(CALLS * 0.009)), calls('refused', grows(CALLS))],
    },
    // Strangers that are refused hide nothing.
    {
      fires: [calls('failed', grows(CALLS * 0.011)), calls('refused', grows(CALLS * 10))],
      quiet: [calls('failed', grows(CALLS * 0.009))],
    },
  ],
  GrantbridgeEndpointFails: [
    // A quarter of an hour is enough where many calls come, and four failures are too few.
    {
      fires: [exchanges('answered', '0+2x150 300+0x30'), exchanges('failed', '0+0x170 1+1x9')],
      quiet: [exchanges('failed', '0+0x176 1 2 3 4')],
    },
    { fires: [exchanges('failed', grows(0.05))], quiet: [exchanges('failed', grows(0.03))] },
    {
      fires: [exchanges('failed', grows(1)), exchanges('answered', grows(0.8))],
      quiet: [exchanges('failed', grows(1)), exchanges('answered', grows(1.2))],
    },
  ],
  GrantbridgeSiteFails: [
    {
      fires: [site('failed', grows(0.2)), site('answered', grows(1.5))],
      quiet: [site('failed', grows(0.2)), site('answered', grows(2)), site('refused', grows(CALLS))],
    },
    // Four failures are too few.
    { fires: [site('failed', '0+0x170 1+1x9')], quiet: [site('failed', '0+0x176 1 2 3 4')] },
  ],
  GrantbridgeConsentsFail: [
    {
      fires: [signIns('failed', grows(0.2)), signIns('finished', grows(0.7))],
      quiet: [signIns('failed', grows(0.2)), signIns('finished', grows(0.9)), signIns('declined', grows(9))],
    },
    // Four failures are too few.
    { fires: [signIns('failed', '0+0x170 1+1x9')], quiet: [signIns('failed', '0+0x176 1 2 3 4')] },
  ],
  GrantbridgeCallsSlow: [
    { fires: ofCalls('new', CALLS * 0.011), quiet: ofCalls('new', CALLS * 0.009) },
    { fires: ofCalls('old', CALLS * 0.011), quiet: ofCalls('bridge', CALLS) },
    { fires: ofExchanges(0.5, 0.06), quiet: ofExchanges(0.5, 0.04) },
    // Six exchanges in an hour are too few.
    { fires: ofExchanges(0.2, 0.2), quiet: ofExchanges(0.1, 0.1) },
  ],
  GrantbridgeOverloaded: [
    { fires: [calls('shed', grows(CALLS * 0.0015))], quiet: [calls('shed', grows(CALLS * 0.0005))] },
  ],
  GrantbridgeReadsTurnedAway: [
    {
      fires: [{ metric: 'grantbridge_new_api_reads_turned_away_total', values: grows(7) }],
      quiet: [{ metric: 'grantbridge_new_api_reads_turned_away_total', values: grows(5) }],
    },
  ],
  GrantbridgeNewApiFails: [
    { fires: [newApi('failed', grows(NEW_API * 0.12))], quiet: [newApi('failed', grows(NEW_API * 0.1))] },
    // Many reads do not hide that refreshes fail, and four failures are too few.
    {
      fires: [newApi('failed', grows(1), 'refresh'), newApi('answered', grows(8), 'refresh')],
      quiet: [newApi('failed', grows(1), 'refresh'), newApi('answered', grows(10), 'refresh')],
    },
    {
      fires: [newApi('failed', '0+0x165 1+1x14', 'exchange')],
      quiet: [newApi('failed', '0+0x176 1 2 3 4', 'exchange')],
    },
    // Few calls: six and three in two hours.
    { fires: [newApi('failed', grows(0.05), 'revoke')], quiet: [newApi('failed', grows(0.03), 'revoke')] },
    {
      fires: [gauge('grantbridge_new_api_breaker_open', 1, { before: 'connections' })],
      quiet: [{ metric: 'grantbridge_new_api_breaker_open', values: '0+0x177 1+0x3' }],
    },
    // Before each probe the breaker refuses nothing for a moment.
    {
      fires: [{ metric: 'grantbridge_new_api_breaker_open', labels: { before: 'reads' }, values: FLIPS }],
      quiet: [{ metric: 'grantbridge_new_api_breaker_open', values: `1+0x${MINUTES - 10} 0+0x10` }],
    },
  ],
  GrantbridgeNewApiSlow: [
    { fires: [readSeconds(grows(NEW_API * 1.1))], quiet: [readSeconds(grows(NEW_API * 0.9))] },
    // Reads that fail at once make the others no faster.
    {
      fires: [readSeconds(grows(NEW_API * 1.05)), newApi('failed', grows(NEW_API * 0.08))],
      quiet: [readSeconds(grows(NEW_API * 0.95)), newApi('failed', grows(NEW_API * 0.08))],
    },
  ],
  GrantbridgeBudgetLow: [
    {
      fires: [gauge('grantbridge_new_api_budget_left_ratio', 0.09)],
      quiet: [gauge('grantbridge_new_api_budget_left_ratio', 0.11)],
    },
    {
      fires: [newApi('limited', grows(0.2), 'refresh'), newApi('answered', grows(1.5), 'refresh')],
      quiet: [
        newApi('limited', grows(0.2), 'refresh'),
        newApi('answered', grows(2), 'refresh'),
        newApi('limited', grows(NEW_API)),
      ],
    },
  ],
};
