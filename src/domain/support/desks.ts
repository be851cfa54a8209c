import { DAY, DEAD_GRANT_KEPT, PRESENTING_LIMIT } from '../../shared/lifetimes.ts';
import {
  DESK_MAX,
  type DeskKey,
  doubtKeys,
  extensionKeys,
  handoverKeys,
  undeliverableKeys,
  unprovenKeys,
  waitingKeys,
} from '../../store/support/desks.ts';
import { groupsWithoutAccount } from '../../store/support/desks-without-account.ts';
import type { Context } from '../context.ts';
import { datesOf } from '../lifecycle/lifecycle.ts';
import { lastCountAt } from '../progress/last-count.ts';
import { todayIn } from './ended/days.ts';
import { countBroken } from './ended/ended-on-day.ts';

/** The desks of support: what asks for somebody to look at it. */

export const DESKS = [
  'in-doubt',
  'died-today',
  'undeliverable',
  'no-account',
  'hand-overs',
  'waiting',
  'extensions',
  'unproven',
] as const;

export type Desk = (typeof DESKS)[number];

/** The keys of a desk, those that come first at the front; not more than are counted. */
export interface Stack<Key extends DeskKey = DeskKey> {
  keys: Key[];
  /** Whether there is more than is counted. */
  isMore: boolean;
}

/** Extensions that end within this time stand on their desk. */
const ENDING_SOON = 30 * DAY;

function inOrder<Key extends DeskKey>(keys: readonly Key[], isMore = keys.length > DESK_MAX): Stack<Key> {
  const sorted = keys.slice(0, DESK_MAX).toSorted((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1));
  return { keys: sorted, isMore };
}

/** Tokens that are looked through for people without an account: on their own desk, and for each page that tells how many. */
const LISTED = 5000;
const COUNTED = 1500;

/** People without an account, the most tokens first. */
export async function withoutAccount({ store }: Pick<Context, 'store'>, tokensRead = LISTED) {
  const { groups, isMore } = await groupsWithoutAccount(store.durable, tokensRead);
  return inOrder(groups, isMore || groups.length > DESK_MAX);
}

/** A desk whose keys are read at once; what ended is read day by day. */
export type StackedDesk = Exclude<Desk, 'died-today'>;

/** More people than an app has, so that the day counts before them. */
const PEOPLE = 1e9;

/** After every day that a date can be set to; after that, where connecting helps nobody any more. */
const [NO_DATE, ENDED] = [1e5, 2e5];

/** The day (since 1970) on which an app's waiting tokens are refused next: 0 where they are so already. */
function dayOfRefusal({ lifecycle, clock, oldBackend }: Context, clientId: string): number {
  const [now, hasOldApi] = [clock.now(), oldBackend !== undefined];
  const dates = datesOf(lifecycle.current(), { clientId, now });
  const past = dates.filter(({ at }) => at <= now);
  if (past.some(({ milestone }) => milestone === 'sunset')) return ENDED;
  if (!hasOldApi || past.length > 0) return 0;
  const next = dates.find(({ at }) => at > now);
  return next === undefined ? NO_DATE : Math.min(Math.floor(next.at / DAY), NO_DATE - 1);
}

/** What is refused already first, then by the nearest date, and of one day the most people. */
function datedFirst(context: Context, keys: readonly DeskKey[]): DeskKey[] {
  return keys.map(({ id, rank }) => ({ id, rank: dayOfRefusal(context, id) * PEOPLE + rank }));
}

const STACKS: Record<StackedDesk, (context: Context) => Promise<Stack>> = {
  'in-doubt': async ({ store, clock }) =>
    inOrder(await doubtKeys(store.durable, { presentedBefore: clock.now() - PRESENTING_LIMIT })),
  undeliverable: async ({ store }) => inOrder(await undeliverableKeys(store.durable)),
  'no-account': (context) => withoutAccount(context, COUNTED),
  'hand-overs': async ({ store, clock }) =>
    inOrder(await handoverKeys(store.durable, { since: clock.now() - DEAD_GRANT_KEPT })),
  waiting: async (context) => inOrder(datedFirst(context, await waitingKeys(context.store.durable))),
  extensions: async ({ store, clock }) => {
    const now = clock.now();
    return inOrder(await extensionKeys(store.durable, { now, before: now + ENDING_SOON }));
  },
  unproven: async ({ store }) => inOrder(await unprovenKeys(store.durable)),
};

/** What stands on a desk. */
export function stackOf(context: Context, desk: StackedDesk): Promise<Stack> {
  return STACKS[desk](context);
}

export interface DeskCount {
  desk: Desk;
  count: number;
  /** Whether there are more than `count`. */
  isMore: boolean;
  /** When it was counted; undefined of what is counted now. */
  countedAt: number | undefined;
}

/** When a desk was counted; undefined of those that are counted when they are asked for. */
export async function countedAtOf(context: Context, desk: Desk): Promise<number | undefined> {
  return desk === 'waiting' ? lastCountAt(context) : undefined;
}

type Counted = Pick<DeskCount, 'count' | 'isMore'>;

async function countOf(context: Context, desk: Desk, zone: string): Promise<Counted> {
  if (desk === 'died-today') return countBroken(context, todayIn(zone, context.clock.now()));
  const { keys, isMore } = await stackOf(context, desk);
  return { count: keys.length, isMore };
}

/** How much stands on each desk, up to a bound; today is that of a time zone. */
export async function deskCounts(context: Context, zone: string): Promise<DeskCount[]> {
  return Promise.all(
    DESKS.map(async (desk) => {
      const counted = await countOf(context, desk, zone);
      return { desk, ...counted, countedAt: await countedAtOf(context, desk) };
    }),
  );
}
