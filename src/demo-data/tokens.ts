import { CALENDAR, CAMPAIGN, DESK, NEWS, UNIDENTIFIED } from './apps.ts';
import type { DemoName } from './people.ts';

/**
 * The tokens of the demo and their fate. No token is connected now: a connection needs a real grant, and a grant needs
 * a person to consent.
 */

/** Why a connection ended. */
type DemoEnd = 'refused' | 'lost' | 'handed_over';

/** One consent that was given and has ended. Times in days before now. */
interface DemoConnection {
  from: number;
  to: number;
  end: DemoEnd;
  /** Whether the app confirmed that it has its pair. */
  isConfirmed?: boolean;
}

/** How programs use a token. */
export interface DemoTokenUse {
  program: string;
  carrier: 'header' | 'query' | 'body';
  endpoints: readonly string[];
  /** Calls happen on every n-th day, counted back from today. */
  every: number;
  /** How many calls on each of those days. */
  calls: number;
  /** The day of the last calls, in days before now. */
  until?: number;
}

interface DemoToken {
  habit?: DemoTokenUse;
  /** In days before now; `why` holds the words of `by`, the person that ended the token. */
  revoked?: { ago: number; why: string; by: DemoName };
}

/** The tokens of one app and of one account, of one address, or of an old account that is not matched. */
export interface DemoPair {
  clientId: string;
  holder: DemoName | { email: string } | { legacyAccountId: string };
  connection?: DemoConnection;
  tokens: readonly DemoToken[];
}

const PROFILES = '/1/profiles.json';
const PENDING = '/1/profiles/:id/updates/pending.json';
const CREATE = '/1/updates/create.json';

const weeklyCron: DemoTokenUse = {
  program: 'bakery-weekly-cron/1.2',
  carrier: 'header',
  endpoints: [PROFILES, PENDING],
  every: 7,
  calls: 6,
};
const nightlyBackup: DemoTokenUse = {
  program: 'curl/7.58.0 (old-office backup.sh)',
  carrier: 'query',
  endpoints: [PROFILES],
  every: 1,
  calls: 2,
};
const shop: DemoTokenUse = {
  program: 'PHP/5.6 newsletter-plugin/2.0',
  carrier: 'body',
  endpoints: [PROFILES, CREATE],
  every: 1,
  calls: 14,
};
const dashboard: DemoTokenUse = {
  program: 'Ruby dashboard/0.9',
  carrier: 'header',
  endpoints: [PROFILES, '/1/user.json'],
  every: 2,
  calls: 24,
};
const python: DemoTokenUse = {
  program: 'python-requests/2.9.1',
  carrier: 'header',
  endpoints: [PROFILES, PENDING],
  every: 3,
  calls: 5,
};
const untilMoved = (habit: DemoTokenUse, until: number): DemoTokenUse => ({ ...habit, until });

const NOT_USED = 'I do not use this program any more';
const SWITCHED_OFF = 'The holder called: the old server was switched off for good';

const moved = (holder: DemoName, [from, to]: readonly [number, number], count = 1): DemoPair => ({
  clientId: CALENDAR.clientId,
  holder,
  connection: { from, to, end: 'handed_over', isConfirmed: true },
  tokens: Array.from({ length: count }, () => ({ habit: untilMoved(dashboard, to) })),
});

const OF_NEWS: ReadonlyArray<Omit<DemoPair, 'clientId'>> = [
  {
    holder: 'dana',
    connection: { from: 41, to: 2, end: 'refused' },
    tokens: [{ habit: weeklyCron }, { habit: nightlyBackup }],
  },
  { holder: 'sam', tokens: [{ habit: shop }] },
  { holder: 'tom', tokens: [{ habit: nightlyBackup }, {}] },
  { holder: 'nadia', tokens: [{ revoked: { ago: 17, why: NOT_USED, by: 'nadia' } }] },
  {
    holder: 'ben',
    connection: { from: 30, to: 0.2, end: 'lost' },
    tokens: [{ habit: dashboard }],
  },
  { holder: { email: 'press@harbour.example' }, tokens: [{ habit: { ...weeklyCron, calls: 2 } }] },
];

const OF_DESK: ReadonlyArray<Omit<DemoPair, 'clientId'>> = [
  {
    holder: 'dana',
    connection: { from: 35, to: 0.12, end: 'refused' },
    tokens: [
      { habit: shop },
      { habit: python },
      { revoked: { ago: 10, why: SWITCHED_OFF, by: 'dana' }, habit: untilMoved(python, 11) },
    ],
  },
  { holder: 'sam', tokens: [{ habit: dashboard }, {}] },
  { holder: 'aisha', tokens: [{ habit: shop }] },
  { holder: 'jonas', connection: { from: 28, to: 5, end: 'refused' }, tokens: [{ habit: dashboard }] },
  { holder: 'tom', tokens: [{}] },
  { holder: { email: 'till@old-shop.example' }, tokens: [{ habit: nightlyBackup }] },
  { holder: 'priya', tokens: [{ revoked: { ago: 24, why: NOT_USED, by: 'priya' } }] },
];

const OF_CAMPAIGN: ReadonlyArray<Omit<DemoPair, 'clientId'>> = [
  { holder: 'dana', tokens: [{ habit: { ...weeklyCron, program: 'campaign-mailer/3.1' } }] },
  { holder: 'chloe', tokens: [{ habit: python }] },
  { holder: 'nadia', tokens: [{}, { habit: shop }] },
  { holder: 'ben', connection: { from: 26, to: 8, end: 'lost' }, tokens: [{ habit: dashboard }] },
  { holder: 'mira', tokens: [{ revoked: { ago: 33, why: NOT_USED, by: 'mira' } }] },
];

const OF_NOBODY: ReadonlyArray<Omit<DemoPair, 'clientId'>> = [
  { holder: 'sam', tokens: [{ habit: python }] },
  { holder: 'dana', tokens: [{ habit: { ...python, every: 7 } }] },
  { holder: { legacyAccountId: '4f1c22d0b7a34e9c11000042' }, tokens: [{ habit: python }] },
  { holder: { legacyAccountId: '4f1c22d0b7a34e9c11000077' }, tokens: [{ habit: { ...python, every: 5 } }] },
];

const inApp = (clientId: string, pairs: ReadonlyArray<Omit<DemoPair, 'clientId'>>): DemoPair[] =>
  pairs.map((pair) => ({ clientId, ...pair }));

/**
 * All tokens of the demo except the owner token of the demo integration. `integration` is the client id of the demo
 * integration.
 */
export function demoPairs(integration: string): DemoPair[] {
  return [
    ...inApp(integration, [
      { holder: 'mira', tokens: [{ habit: python }] },
      { holder: 'sam', connection: { from: 20, to: 3, end: 'refused' }, tokens: [{ habit: dashboard }] },
      { holder: 'lena', tokens: [{ revoked: { ago: 12, why: SWITCHED_OFF, by: 'dana' } }] },
    ]),
    ...inApp(NEWS.clientId, OF_NEWS),
    moved('dana', [50, 21]),
    moved('lena', [48, 20], 2),
    {
      ...moved('chloe', [46, 2]),
      connection: { from: 46, to: 2, end: 'handed_over', isConfirmed: false },
    },
    moved('jonas', [44, 18], 2),
    {
      ...moved('oskar', [45, 9]),
      connection: { from: 45, to: 9, end: 'handed_over', isConfirmed: false },
    },
    ...inApp(CALENDAR.clientId, [
      { holder: 'priya', tokens: [{ revoked: { ago: 15, why: NOT_USED, by: 'priya' } }] },
    ]),
    ...inApp(DESK.clientId, OF_DESK),
    ...inApp(CAMPAIGN.clientId, OF_CAMPAIGN),
    ...inApp(UNIDENTIFIED.clientId, OF_NOBODY),
  ];
}
