import { readReminderAccount } from '../../store/reminders/reminder-people.ts';
import { mappingsByIds, readApp } from '../../store/support/support-app.ts';
import type { MappingRow } from '../../store/tokens/find-mappings.ts';
import { listIdsOfAccount, listMappingIds } from '../../store/tokens/mapping-ids.ts';
import type { SupportDeps } from './deps.ts';

/**
 * All tokens of an app or of an account, page by page, for programs. They come in the order of their ids, which never
 * change: a token that is used or stops between two pages keeps its place, so none is left out and none comes twice.
 */

const PAGE = 50;

export interface TokensById {
  rows: MappingRow[];
  /** The id after which the next page begins. */
  next: string | undefined;
}

async function pageOfIds({ store }: SupportDeps, ids: readonly string[]): Promise<TokensById> {
  const shown = ids.slice(0, PAGE);
  const rows = shown.length === 0 ? [] : await mappingsByIds(store.durable, shown);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return {
    rows: shown.flatMap((id) => byId.get(id) ?? []),
    next: ids.length > PAGE ? shown.at(-1) : undefined,
  };
}

/** Whether there is an app with this client id, retired or not. */
export async function isAppThere({ store }: SupportDeps, clientId: string): Promise<boolean> {
  return (await readApp(store.durable, clientId)) !== undefined;
}

/** Tokens of an app after an id; undefined where there is no app. */
export async function tokensOfAppById(
  context: SupportDeps,
  clientId: string,
  after = '',
): Promise<TokensById | undefined> {
  if (!(await isAppThere(context, clientId))) return undefined;
  const asked = { after, limit: PAGE + 1 };
  return pageOfIds(context, await listMappingIds(context.store.durable, { clientId }, asked));
}

/** Tokens of an account after an id; undefined where the account was never met. */
export async function tokensOfAccountById(
  context: SupportDeps,
  accountId: string,
  after = '',
): Promise<TokensById | undefined> {
  const { durable } = context.store;
  if (!(await readReminderAccount(durable, accountId))) return undefined;
  return pageOfIds(context, await listIdsOfAccount(durable, accountId, { after, limit: PAGE + 1 }));
}
