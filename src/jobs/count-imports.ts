import type { Context } from '../domain/context.ts';
import { keepProgress } from '../domain/progress/keep-progress.ts';
import { withLease } from '../domain/work/lease.ts';

/** The lease of the count of the hour, which may have begun before the piece of the import. */
interface CountLease {
  name: string;
  limit: number;
}

/** Counts the tokens anew where a piece of an import was written since. A count that fails is wanted again. */
export async function countImports(context: Context, lease: CountLease): Promise<void> {
  const { wantedCount } = context;
  if (!wantedCount.take()) return;
  let isCounted = false;
  try {
    isCounted = await withLease(context, lease, () => keepProgress(context));
  } finally {
    if (!isCounted) wantedCount.want();
  }
}
