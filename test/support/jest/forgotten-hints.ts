import type { StartedBridge } from '../bridge/started-bridge.ts';

/** Forgets which four characters the tokens of an app begin and end with, as if they had been imported as digests. */
export async function forgetHints(
  { context }: Pick<StartedBridge, 'context'>,
  clientId: string,
): Promise<void> {
  const none = { hint_first: null, hint_last: null };
  const tokens = context.store.durable.updateTable('mappings').where('client_id', '=', clientId);
  await tokens.set(none).execute();
}
