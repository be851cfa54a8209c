import { listContacts } from '../../store/apps/app-contacts.ts';
import {
  type ExtensionRow,
  extensionsOf,
  listSupportCallbacks,
  listOwnedAppsAfter,
  type OwnedApp,
  readApp,
} from '../../store/support/support-app.ts';
import { callersOf } from '../usage/callers.ts';
import { callDaysOf, type DayCalls, lastDays } from '../usage/calls-per-day.ts';
import type { CountedDays } from '../usage/counted-days.ts';
import type { SupportDeps } from './deps.ts';
import { type AwaitedHandovers, awaitedHandovers } from '../handover/awaited.ts';
import { type EnteredClient, enteredClientOf } from '../handover/enter-modern-client.ts';
import { type StateCounts, statesOfApp } from '../tokens/states-of-app.ts';
import { findTokensOfApp } from '../tokens/token-find.ts';
import { type TokenKeyPage, type TokenListQuery, tokensOfAppPage } from '../tokens/token-list.ts';
import { type ListedTokenRow, tokenRowsOf } from './token-rows.ts';
import { MAPPING_CALL_DAYS } from './describe-mapping.ts';

/** The page of support about one app. */

export type { ExtensionRow, OwnedApp };

interface AppDescription {
  app: OwnedApp;
  callbacks: string[];
  contacts: string[];
  extensions: ExtensionRow[];
  client: EnteredClient | undefined;
  handovers: AwaitedHandovers;
  counts: StateCounts;
  tokens: ListedTokenRow[];
  /** The page of tokens. */
  page: TokenKeyPage;
  days: string[];
  calls: DayCalls[];
  /** What is known of the calls of these days. */
  counted: CountedDays;
}

/** The tokens of an app that are asked for, or searched by characters, names and addresses. */
export interface AppTokensQuery extends TokenListQuery {
  find: string | undefined;
}

function tokenPage(
  context: SupportDeps,
  of: { clientId: string; counted: StateCounts },
  query: AppTokensQuery,
): Promise<TokenKeyPage> {
  const { find } = query;
  return find === undefined
    ? tokensOfAppPage(context, of, query)
    : findTokensOfApp(context, { clientId: of.clientId, find, withAddresses: true }, query);
}

/** An app by its client id with a page of its tokens; undefined where there is no app. */
export async function describeApp(
  context: SupportDeps,
  clientId: string,
  query: AppTokensQuery,
): Promise<AppDescription | undefined> {
  const { durable } = context.store;
  const app = await readApp(durable, clientId);
  if (!app) return undefined;
  const counts = await statesOfApp(context, clientId);
  const [callbacks, contacts, extensions, client, handovers, page, asked] = await Promise.all([
    listSupportCallbacks(durable, clientId),
    listContacts(durable, clientId),
    extensionsOf(durable, clientId),
    enteredClientOf(context, clientId),
    awaitedHandovers(context, clientId),
    tokenPage(context, { clientId, counted: counts }, query),
    callersOf(context, { clientId }),
  ]);
  return {
    app,
    callbacks,
    contacts,
    extensions,
    client,
    handovers,
    counts,
    tokens: await tokenRowsOf(
      context,
      page.keys.map(({ id }) => id),
    ),
    page,
    days: lastDays(context, MAPPING_CALL_DAYS),
    calls: await callDaysOf(context, asked.who, { days: MAPPING_CALL_DAYS }),
    counted: asked.within(MAPPING_CALL_DAYS),
  };
}

const APPS = 100;

/** A page of all apps in the order of their client ids, after one; `next` is the cursor of the next page. */
export async function listAppsPage(
  { store }: SupportDeps,
  after = '',
): Promise<{ apps: OwnedApp[]; next: string | undefined }> {
  const rows = await listOwnedAppsAfter(store.durable, after, APPS + 1);
  const apps = rows.slice(0, APPS);
  return { apps, next: rows.length > APPS ? apps.at(-1)?.client_id : undefined };
}
