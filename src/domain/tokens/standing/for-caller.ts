import type { MappingState } from '../../../store/tables/tables.ts';
import { capital } from '../../../shared/words.ts';
import { dayOf } from '../../../shared/moments.ts';
import type { TokenStanding } from './standing.ts';

/** What the caller with a token is told: the reason in the 401, and the same in fewer words on the live page. */

const NOT_CONNECTED = 'This token has not been connected to the new API yet.';

/** As a clause, which follows the name of a profile whose post was not sent. */
export const CONNECTION_ENDED =
  'the connection behind this token has ended. Its owner has to authorize the app again.';

function retiredReason(since: number | undefined): string {
  const day = since === undefined ? '' : ` on ${dayOf(since)} (UTC)`;
  return `The old API was retired${day}, and this token had not been connected to the new API by then. Its owner has to authorize the app again.`;
}

const REASONS: Record<Exclude<TokenStanding['is'], 'refused'>, string> = {
  // The grant of a served token may end during the call.
  served: capital(CONNECTION_ENDED),
  stopped: capital(CONNECTION_ENDED),
  passed: NOT_CONNECTED,
  interrupted: NOT_CONNECTED,
  revoked: 'This token was revoked.',
  moved: 'The app has moved to the new API and this token was retired.',
  // No 401 says this: a call meets the sunset, and the retirement of its app, before its token is looked at.
  ended: 'The old API has ended.',
  orphaned: 'The app of this token was retired.',
};

/** The `reason` of a 401. */
export function callerReason(standing: TokenStanding): string {
  if (standing.is !== 'refused') return REASONS[standing.is];
  return standing.why === 'retired' ? retiredReason(standing.since) : NOT_CONNECTED;
}

/** Why a call was refused, by the state that its token had then, in a few words. */
export const REFUSED_CALLS: Readonly<Record<Exclude<MappingState, 'active'>, string>> = {
  unmapped: 'the token is not connected yet',
  reauthorization_required: 'the connection has ended',
  revoked: 'the token was revoked',
  migrated: 'the app has moved and the token was retired',
};
