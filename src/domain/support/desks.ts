import { DAY, DEAD_GRANT_KEPT, PRESENTING_LIMIT } from '../../shared/lifetimes.ts';
import {
  deathKeys,
  DESK_MAX,
  type DeskKey,
  doubtKeys,
  extensionKeys,
  handoverKeys,
  undeliverableKeys,
  unprovenKeys,
  waitingKeys,
} from '../../store/desks.ts';
import { groupsWithoutAccount } from '../../store/desks-without-account.ts';
import type { Context } from '../context.ts';
import { lastCountAt } from '../progress/last-count.ts';

/** The desks of support: what asks for somebody to look at it. */

export { DESK_MAX };

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

const midnight = (now: number) => Math.floor(now / DAY) * DAY;

/** The grants that ended since midnight (UTC), of every cause. */
export async function deathsToday({ store, clock }: Pick<Context, 'store' | 'clock'>) {
  return inOrder(await deathKeys(store.durable, { since: midnight(clock.now()) }));
}

/** Tokens that are looked through for people without an account: on their own desk, and for each page that tells how many. */
const LISTED = 5000;
const COUNTED = 1500;

/** People without an account, the most tokens first. */
export async function withoutAccount({ store }: Pick<Context, 'store'>, tokensRead = LISTED) {
  const { groups, isMore } = await groupsWithoutAccount(store.durable, tokensRead);
  return inOrder(groups, isMore || groups.length > DESK_MAX);
}

const STOPS: ReadonlySet<string> = new Set(['refused', 'lost', 'superseded']);

/** Whether somebody has to connect again after an end of this cause; the others were asked for. */
export const isStop = (cause: string): boolean => STOPS.has(cause);

/** The same of one end: who has connected again, or ended it all, has nothing to do any more. */
export function isBreak({ cause, hasStopped }: { cause: string; hasStopped: boolean }): boolean {
  return hasStopped && isStop(cause);
}

async function breaksToday(context: Context): Promise<Stack> {
  const { keys, isMore } = await deathsToday(context);
  return { keys: keys.filter(isBreak), isMore };
}

const STACKS: Record<Desk, (context: Context) => Promise<Stack>> = {
  'in-doubt': async ({ store, clock }) =>
    inOrder(await doubtKeys(store.durable, { presentedBefore: clock.now() - PRESENTING_LIMIT })),
  'died-today': breaksToday,
  undeliverable: async ({ store }) => inOrder(await undeliverableKeys(store.durable)),
  'no-account': (context) => withoutAccount(context, COUNTED),
  'hand-overs': async ({ store, clock }) =>
    inOrder(await handoverKeys(store.durable, { since: clock.now() - DEAD_GRANT_KEPT })),
  waiting: async ({ store }) => inOrder(await waitingKeys(store.durable)),
  extensions: async ({ store, clock }) => {
    const now = clock.now();
    return inOrder(await extensionKeys(store.durable, { now, before: now + ENDING_SOON }));
  },
  unproven: async ({ store }) => inOrder(await unprovenKeys(store.durable)),
};

/** What stands on a desk. */
export function stackOf(context: Context, desk: Desk): Promise<Stack> {
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

/** How much stands on each desk, up to a bound. */
export async function deskCounts(context: Context): Promise<DeskCount[]> {
  return Promise.all(
    DESKS.map(async (desk) => {
      const { keys, isMore } = await stackOf(context, desk);
      return { desk, count: keys.length, isMore, countedAt: await countedAtOf(context, desk) };
    }),
  );
}
