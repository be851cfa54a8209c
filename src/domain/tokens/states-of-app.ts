import { chunksOf } from '../../shared/chunks-of.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';
import { countByState, countStatesOf } from '../../store/tokens/app-tokens.ts';
import type { MappingState } from '../../store/tables/tables.ts';
import type { TokensDeps } from './deps.ts';

export type StateCounts = Partial<Record<MappingState, number>>;

/** The number of tokens of an app by state, counted now. States without a token are left out. */
export async function statesOfApp(
  { store }: Pick<TokensDeps, 'store'>,
  clientId: string,
): Promise<StateCounts> {
  const rows = await countByState(store.durable, clientId);
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
}

/** SQLite holds up the process while a statement counts, and one app may have very many tokens. */
const APPS_AT_ONCE = 10;

/** The same of several apps at once. An app without a token has no entry. */
export async function statesOfApps(
  { store }: Pick<TokensDeps, 'store'>,
  clientIds: readonly string[],
): Promise<Map<string, StateCounts>> {
  const counts = new Map<string, StateCounts>();
  for (const some of chunksOf(clientIds, APPS_AT_ONCE)) {
    for (const { client_id: id, state, n } of await countStatesOf(store.durable, some))
      counts.set(id, { ...counts.get(id), [state]: n });
    await yieldToEventLoop();
  }
  return counts;
}

/** The number of tokens in all states together. */
export const totalOf = (states: StateCounts): number =>
  Object.values(states).reduce((total, n) => total + n, 0);

/** Whether an app has tokens, and all of them have moved or were revoked: then no date changes anything for it. */
export function areAllOver(states: StateCounts): boolean {
  const { migrated = 0, revoked = 0 } = states;
  return migrated + revoked > 0 && totalOf(states) === migrated + revoked;
}
