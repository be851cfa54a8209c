import { countFirst } from '../store/app-tokens.ts';
import { newestProgress } from '../store/progress.ts';
import type { MappingState } from '../store/tables.ts';
import type { Context } from './context.ts';

/** So many tokens of one app are looked at while somebody waits for a page; of more the last count of all is told. */
export const TOKENS_READ = 2000;

export type States = Partial<Record<MappingState, number>>;

export interface StatesOfApp {
  states: States;
  total: number;
  /** Whether there are more tokens than `total`, which nothing has counted yet. */
  isPartial: boolean;
  /** The last day on which a count changed any; undefined where they were counted just now. */
  day: string | undefined;
}

const sum = (states: States) => Object.values(states).reduce((total, n) => total + n, 0);

/** How many tokens of an app are in each state. */
export async function statesOfApp({ store }: Pick<Context, 'store'>, clientId: string): Promise<StatesOfApp> {
  const rows = await countFirst(store.durable, clientId, TOKENS_READ + 1);
  const states: States = Object.fromEntries(rows.map(({ state, n }) => [state, n]));
  const total = sum(states);
  if (total <= TOKENS_READ) return { states, total, isPartial: false, day: undefined };
  const [counted] = await newestProgress(store.durable, [clientId]);
  if (!counted) return { states, total: TOKENS_READ, isPartial: true, day: undefined };
  const { client_id: _id, day, waiting_people: _people, ...all } = counted;
  return { states: all, total: sum(all), isPartial: false, day };
}
