import { listContacts } from '../../store/apps/app-contacts.ts';
import type { MappingRow } from '../../store/tokens/find-mappings.ts';
import {
  type ExtensionRow,
  extensionsOf,
  listSupportCallbacks,
  listOwnedAppsAfter,
  type OwnedApp,
  readApp,
  tokensAfter,
} from '../../store/support/support-app.ts';
import { callersOf } from '../usage/callers.ts';
import { callDaysOf, type DayCalls, lastDays } from '../usage/calls-per-day.ts';
import type { CountedDays } from '../usage/counted-days.ts';
import type { SupportDeps } from './deps.ts';
import { type EnteredClient, enteredClientOf } from '../handover/enter-modern-client.ts';
import { type StateCounts, statesOfApp } from '../tokens/states-of-app.ts';
import { MAPPING_CALL_DAYS } from './describe-mapping.ts';

/** The page of support about one app. */

export type { ExtensionRow, OwnedApp };

const PAGE = 50;

interface AppDescription {
  app: OwnedApp;
  callbacks: string[];
  contacts: string[];
  extensions: ExtensionRow[];
  client: EnteredClient | undefined;
  counts: StateCounts;
  tokens: MappingRow[];
  /** The cursor of the next page of tokens; undefined on the last page. */
  next: string | undefined;
  days: string[];
  calls: DayCalls[];
  /** What is known of the calls of these days. */
  counted: CountedDays;
}

/** An app by its client id with a page of its tokens; undefined where there is no app. */
export async function describeApp(
  context: SupportDeps,
  clientId: string,
  after = '',
): Promise<AppDescription | undefined> {
  const { durable } = context.store;
  const app = await readApp(durable, clientId);
  if (!app) return undefined;
  const [callbacks, contacts, extensions, client, counts, rows, asked] = await Promise.all([
    listSupportCallbacks(durable, clientId),
    listContacts(durable, clientId),
    extensionsOf(durable, clientId),
    enteredClientOf(context, clientId),
    statesOfApp(context, clientId),
    tokensAfter(durable, clientId, { after, limit: PAGE + 1 }),
    callersOf(context, { clientId }),
  ]);
  const tokens = rows.slice(0, PAGE);
  return {
    app,
    callbacks,
    contacts,
    extensions,
    client,
    counts,
    tokens,
    next: rows.length > PAGE ? tokens.at(-1)?.id : undefined,
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
