import { readCountedAt } from '../../store/progress/progress.ts';
import type { ProgressDeps } from './deps.ts';

/** When the tokens were last counted for the pages that show progress; undefined before the first count. */
export async function lastCountAt({ store }: Pick<ProgressDeps, 'store'>): Promise<number | undefined> {
  return readCountedAt(store.durable);
}
