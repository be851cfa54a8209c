import type { MappingRow } from '../../store/find-mappings.ts';
import {
  addressesOf,
  countSomeStates,
  type ExtensionRow,
  extensionsOf,
  newestProgress,
  type OwnedApp,
  readApp,
  tokensAfter,
} from '../../store/support-app.ts';
import type { MappingState } from '../../store/tables.ts';
import { callsPerDay, type DayCalls, lastDays } from '../calls-per-day.ts';
import type { Context } from '../context.ts';
import { type EnteredClient, enteredClientOf } from '../enter-modern-client.ts';
import { DAYS_TOLD } from './describe-mapping.ts';

/** Everything that support sees of one app. */

export type { ExtensionRow };

/** So many tokens are counted while somebody waits for the page; of more the job's last count is told. */
const COUNTED = 10_000;

/** Calls are added up of so many tokens; a page that is opened has no time for more. */
const TOKENS_READ = 2_000;

const PAGE = 50;

interface Counts {
  states: Partial<Record<MappingState, number>>;
  total: number;
  /** Whether there are more tokens than `total`; else it is exact. */
  isPartial: boolean;
  /** The day at whose end they were counted; undefined for now. */
  day: string | undefined;
}

interface AppDescription {
  app: OwnedApp;
  callbacks: string[];
  contacts: string[];
  extensions: ExtensionRow[];
  client: EnteredClient | undefined;
  counts: Counts;
  tokens: MappingRow[];
  /** What the next page of tokens is after; undefined on the last one. */
  next: string | undefined;
  days: string[];
  /** Undefined where there are too many tokens. */
  calls: DayCalls[] | undefined;
}

const sum = (counts: Partial<Record<MappingState, number>>) =>
  Object.values(counts).reduce((total, n) => total + n, 0);

async function countsOf({ store }: Context, clientId: string): Promise<Counts> {
  const states = await countSomeStates(store.durable, clientId, COUNTED + 1);
  const total = sum(states);
  if (total <= COUNTED) return { states, total, isPartial: false, day: undefined };
  const counted = await newestProgress(store.durable, clientId);
  if (!counted) return { states: {}, total: COUNTED, isPartial: true, day: undefined };
  const { day, ...all } = counted;
  return { states: all, total: sum(all), isPartial: false, day };
}

/** An app by its client id with a page of its tokens; undefined where there is none. */
export async function describeApp(
  context: Context,
  clientId: string,
  after = '',
): Promise<AppDescription | undefined> {
  const { durable } = context.store;
  const app = await readApp(durable, clientId);
  if (!app) return undefined;
  const [addresses, extensions, client, counts, rows] = await Promise.all([
    addressesOf(durable, clientId),
    extensionsOf(durable, clientId),
    enteredClientOf(context, clientId),
    countsOf(context, clientId),
    tokensAfter(durable, clientId, { after, limit: PAGE + 1 }),
  ]);
  const isSmall = !counts.isPartial && counts.total <= TOKENS_READ;
  const tokens = rows.slice(0, PAGE);
  return {
    app,
    ...addresses,
    extensions,
    client,
    counts,
    tokens,
    next: rows.length > PAGE ? tokens.at(-1)?.id : undefined,
    days: lastDays(context, DAYS_TOLD),
    calls: isSmall ? await callsPerDay(context, { clientId }, { days: DAYS_TOLD }) : undefined,
  };
}
