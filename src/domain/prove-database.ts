import { countApps } from '../store/apps.ts';
import type { Context } from './context.ts';

/** Rejects when the durable database does not answer. */
export async function proveDatabase(context: Context): Promise<void> {
  await countApps(context.store.durable);
}
