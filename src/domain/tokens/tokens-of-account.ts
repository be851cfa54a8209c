import {
  appsWithWaiting,
  countPeopleWaiting,
  listStopped,
  type StoppedAppRow,
} from '../../store/accounts/home-rows.ts';
import { normalEmail } from '../../shared/mail/address.ts';
import type { AppAccount } from '../../store/tokens/mappings.ts';
import type { MappingState } from '../../store/tables/tables.ts';
import { countTokensOf, countWaiting, listOwnedApps } from '../../store/tokens/waiting-tokens.ts';
import type { TokensDeps } from './deps.ts';
import { nextState } from '../grants/mapping-state.ts';
import { statesOfApp } from './states-of-app.ts';

/** The tokens of an account as the account holder sees them: how many each app has, and in which states. */

export interface AppTokens {
  clientId: string;
  name: string;
  /** Whether the app is a program that was seen in use and that nobody registered or imported. */
  isUnidentified: boolean;
  /** The number of tokens by state. States without a token are left out. */
  counts: Partial<Record<MappingState, number>>;
  /** How many of the tokens that were never connected the old API never saw: it answers none of their calls. */
  unknownThere: number;
  /** The number of tokens that one consent would connect. */
  waiting: number;
  /** The number of tokens that work, or would work after a consent. */
  alive: number;
}

type Row = Awaited<ReturnType<typeof countTokensOf>>[number];

function sumOf(rows: readonly Row[], isWanted: (state: MappingState) => boolean): number {
  return rows.filter(({ state }) => isWanted(state)).reduce((sum, { n }) => sum + n, 0);
}

const wouldWork = (state: MappingState) => nextState(state, 'granted') === 'active';

function appTokens(rows: readonly [Row, ...Row[]]): AppTokens {
  return {
    clientId: rows[0].client_id,
    name: rows[0].name,
    isUnidentified: rows[0].source === 'observed',
    counts: Object.fromEntries(rows.map(({ state, n }) => [state, n])),
    unknownThere: rows.find(({ state }) => state === 'unmapped')?.made_here ?? 0,
    waiting: sumOf(rows, (state) => state !== 'active' && wouldWork(state)),
    alive: sumOf(rows, wouldWork),
  };
}

function byApp(rows: readonly Row[]): AppTokens[] {
  const groups = new Map<string, [Row, ...Row[]]>();
  for (const row of rows) {
    const group = groups.get(row.client_id);
    if (group) group.push(row);
    else groups.set(row.client_id, [row]);
  }
  return [...groups.values()].map(appTokens);
}

/** The tokens of an account by app, in the order of the apps' names. */
export async function tokensOfAccount(context: TokensDeps, accountId: string): Promise<AppTokens[]> {
  return byApp(await countTokensOf(context.store.durable, { accountId }));
}

/** The tokens of one app and account; undefined where there is no token. */
export async function tokensOfPair(context: TokensDeps, pair: AppAccount): Promise<AppTokens | undefined> {
  const [tokens] = byApp(await countTokensOf(context.store.durable, pair));
  return tokens;
}

/** The apps that an account owns. */
export async function appsOfOwner(
  context: TokensDeps,
  accountId: string,
): Promise<Array<{ clientId: string; name: string }>> {
  const rows = await listOwnedApps(context.store.durable, accountId);
  return rows.map(({ client_id: clientId, name }) => ({ clientId, name }));
}

/** How many tokens and apps wait under an e-mail address that is not proven. */
export async function waitingUnder(
  context: TokensDeps,
  email: string,
): Promise<{ tokens: number; apps: number }> {
  const address = normalEmail(email);
  return address === '' ? { tokens: 0, apps: 0 } : countWaiting(context.store.durable, address);
}

/** Why and when connections of an account ended that have to be made again: the last end of each app. */
export async function stoppedApps(
  context: TokensDeps,
  accountId: string,
): Promise<Map<string, { reason: string | null; at: number }>> {
  const rows = await listStopped(context.store.durable, accountId);
  return new Map(
    rows.toReversed().map(({ client_id, reason, at }: StoppedAppRow) => [client_id, { reason, at }]),
  );
}

/** The tokens of an app as its owner sees them. */
export interface OwnedTokens {
  counts: AppTokens['counts'];
  /** Accounts, and e-mail addresses without an account, whose tokens wait for a consent. */
  peopleWaiting: number;
  /** Whether there may be more people than were counted. */
  isMorePeople: boolean;
}

/** People are counted among this many waiting tokens of an app. A page that is opened has no time for more. */
const PEOPLE_AMONG = 20_000;

/** The tokens of an app for its owner. The account `besides`, if any, is not counted among the people who wait. */
export async function tokensForOwner(
  context: TokensDeps,
  { clientId, besides = '' }: { clientId: string; besides?: string },
): Promise<OwnedTokens> {
  const of = { clientId, besides };
  const counts = await statesOfApp(context, clientId);
  const { people, read } = await countPeopleWaiting(context.store.durable, of, PEOPLE_AMONG);
  return { counts, peopleWaiting: people, isMorePeople: read === PEOPLE_AMONG };
}

/** Which of these apps have a token that waits now. */
export async function appsWithWaitingTokens(
  { store }: TokensDeps,
  clientIds: readonly string[],
): Promise<ReadonlySet<string>> {
  return new Set(clientIds.length === 0 ? [] : await appsWithWaiting(store.durable, clientIds));
}
