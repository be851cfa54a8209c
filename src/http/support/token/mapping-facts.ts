import { actionsFor } from '../actions/action-list.ts';
import type { StaffRole } from '../../../domain/accounts/staff.ts';
import { type MappingDescription, nextAttemptAt } from '../../../domain/support/describe-mapping.ts';
import type { HttpSupportDeps } from '../deps.ts';
import { isAssignable } from '../../../domain/tokens/assign-token.ts';
import { isFromBefore } from '../../../domain/tokens/resolve-token.ts';
import { DEAD_GRANT_KEPT } from '../../../shared/lifetimes.ts';
import { grantCard } from './grant-words.ts';
import type { TokenStatusFacts } from './mapping-standing.ts';
import { oldApiStatusNow } from './token-line.ts';

/** The data of a token's page, taken from the description of the token at one moment. */

function holderOf({ mapping }: MappingDescription): TokenStatusFacts['holder'] {
  if (mapping.account_id !== null) return 'account';
  if (mapping.account_email !== null) return 'email';
  return mapping.legacy_account_id === null ? 'nothing' : 'older id';
}

function handoverOf({ handover }: MappingDescription, now: number): TokenStatusFacts['handover'] {
  if (!handover) return undefined;
  if (handover.confirmed_at !== null) return 'confirmed';
  return handover.handed_at + DEAD_GRANT_KEPT > now ? 'waits' : 'over';
}

function grantFacts({ grant }: MappingDescription, now: number): TokenStatusFacts['grant'] {
  if (!grant) return undefined;
  const { state, dead_cause: cause, access_expires_at: expiresAt, suspect_until: suspectUntil } = grant;
  return { state, cause, isServing: expiresAt > now, isSuspect: suspectUntil > now };
}

/** The facts about the standing of a token. */
export function standingFacts(context: HttpSupportDeps, described: MappingDescription): TokenStatusFacts {
  const { mapping, app } = described;
  const now = context.clock.now();
  return {
    state: mapping.state,
    reason: mapping.reason,
    ...oldApiStatusNow(context, app.client_id),
    hasBackend: context.oldBackend !== undefined,
    holder: holderOf(described),
    isUnidentified: app.source === 'observed',
    isUnproven: mapping.source === 'observed' && mapping.app_proven === 0,
    isAppRetired: app.retired_at !== null,
    isFromBefore: isFromBefore(mapping),
    isOwnersOwn: mapping.source === 'registration',
    grant: grantFacts(described, now),
    handover: handoverOf(described, now),
  };
}

/** The actions that make sense for the token now. */
export function mappingActions(
  context: HttpSupportDeps,
  role: StaffRole,
  { mapping, app, grant }: MappingDescription,
) {
  return actionsFor(role, {
    mappingId: mapping.id,
    state: mapping.state,
    accountId: mapping.account_id,
    email: mapping.account_email,
    hasGrant: grant !== undefined && grant.state !== 'dead',
    isUnidentified: app.source === 'observed',
    isAssignable: isAssignable(mapping, app),
    isAppRetired: app.retired_at !== null,
    hasEnded: oldApiStatusNow(context, app.client_id).phase === 'ended',
  });
}

/** The card of the token's grant; undefined where the token has no grant. */
export function mappingGrant(context: HttpSupportDeps, { grant }: MappingDescription) {
  return (
    grant &&
    grantCard(grant, {
      nextAt: nextAttemptAt(context, grant),
      bridgeClientId: context.server.clientId,
      now: context.clock.now(),
    })
  );
}
