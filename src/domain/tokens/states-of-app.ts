import { countByState } from '../../store/tokens/app-tokens.ts';
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

/** The number of tokens in all states together. */
export const totalOf = (states: StateCounts): number =>
  Object.values(states).reduce((total, n) => total + n, 0);
