import type { Context } from '../../../domain/context.ts';
import { Forbidden } from '../../../domain/failures.ts';
import type { Caller } from '../../../domain/learn-ids.ts';
import { LegacyError, REFUSALS } from '../legacy-error.ts';

/** What the owner of a token can do about a connection that does not cover posts. */
function reauthorize({ settings }: Context, { mapping }: Caller) {
  return {
    reason:
      'The connection behind this token does not cover posts. Its owner has to authorize the app again.',
    link: `${settings.publicUrl}/apps/${mapping.client_id}`,
  };
}

/**
 * What `work` answers; a grant that does not cover it is refused with the way to a wider one.
 * @throws {LegacyError} 403 with code 1002
 */
export async function withinScope<T>(context: Context, caller: Caller, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Forbidden)) throw error;
    throw new LegacyError(REFUSALS.scope, { extra: { reauthorize: reauthorize(context, caller) } });
  }
}
