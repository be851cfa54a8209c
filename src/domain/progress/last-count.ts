import { readCountedAt } from '../../store/progress/progress.ts';
import type { Context } from '../context.ts';

/** When the tokens were last counted for the pages that tell progress; undefined before the first time. */
export async function lastCountAt({ store }: Pick<Context, 'store'>): Promise<number | undefined> {
  return readCountedAt(store.durable);
}
