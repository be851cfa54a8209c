import { Refusal } from '../../shared/refusals/refusal.ts';
import { readGrant } from '../../store/grants/read-grant.ts';
import type { PostsDeps } from './deps.ts';
import { Forbidden } from '../../upstream/main-api.ts';
import type { GrantClient } from '../grants/grant-client.ts';
import { servedBy, type ServedMapping } from '../tokens/resolve-token.ts';

/** The grant behind a token lacks a scope that the call needs. The account holder can consent to more scopes. */
export class ScopeMissing extends Refusal {
  readonly reauthorize: { reason: string; link: string };
  constructor({ settings }: PostsDeps, mapping: Pick<ServedMapping, 'client_id'>, scope: string) {
    super(`the grant has no ${scope}`);
    const reason = `The connection behind this token does not include ${scope}. Its owner has to authorize the app again.`;
    this.reauthorize = { reason, link: `${settings.publicUrl}/apps/${mapping.client_id}` };
  }
}

/** Whether the grant behind a token has a scope. */
export async function hasScope(
  { store }: Pick<PostsDeps, 'store'>,
  { grant_id: grantId }: Pick<ServedMapping, 'grant_id'>,
  scope: string,
): Promise<boolean> {
  const grant = await readGrant(store, grantId);
  return grant === undefined || grant.scope.split(/\s+/).includes(scope);
}

/** @throws {ScopeMissing} */
export async function requireScope(
  context: PostsDeps,
  mapping: Pick<ServedMapping, 'client_id' | 'grant_id'>,
  scope: string,
): Promise<void> {
  if (!(await hasScope(context, mapping, scope))) throw new ScopeMissing(context, mapping, scope);
}

/**
 * Runs a read of the account behind a token. The new API forbids the read where the grant has no `account:read`, and where
 * the account itself lacks a right. A wider consent helps in the first case alone.
 * @throws {ScopeMissing | TokenRefused}, and the errors of `read`
 */
export function accountReadBy<T>(
  context: PostsDeps,
  mapping: ServedMapping,
  read: (grant: GrantClient) => Promise<T>,
): Promise<T> {
  return servedBy(context, mapping, async (grant) => {
    try {
      return await read(grant);
    } catch (error) {
      const { id: grantId, clientId } = grant;
      if (error instanceof Forbidden)
        await requireScope(context, { grant_id: grantId, client_id: clientId }, 'account:read');
      throw error;
    }
  });
}
