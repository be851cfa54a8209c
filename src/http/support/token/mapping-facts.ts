import { actionsFor } from '../actions/action-list.ts';
import type { StaffRole } from '../../../domain/accounts/staff.ts';
import { type MappingDescription, nextAttemptAt } from '../../../domain/support/describe-mapping.ts';
import type { HttpSupportDeps } from '../deps.ts';
import { isOfTakeOver } from '../../../domain/grants/of-take-over.ts';
import { isAssignable } from '../../../domain/tokens/assign-token.ts';
import { provenApp } from '../../../domain/tokens/proven-app.ts';
import { grantFactsOf } from '../../../domain/tokens/standing/grant-facts.ts';
import {
  sideSentence,
  type SupportFacts,
  supportStatus,
} from '../../../domain/tokens/standing/for-support.ts';
import {
  type GrantFacts,
  type HandoverState,
  type TokenStanding,
  standingOf,
} from '../../../domain/tokens/standing/standing.ts';
import { type DeedLook, newestDeed } from '../../../domain/take-back/look.ts';
import { rowFacts, standingOfRow } from '../../../domain/support/standing-of-row.ts';
import { DEAD_GRANT_KEPT } from '../../../shared/lifetimes.ts';
import { grantCard } from './grant-words.ts';
import { oldApiStatusNow } from '../../../domain/lifecycle/old-api-status.ts';

/** The data of a token's page, taken from the description of the token at one moment. */

function holderOf({ mapping }: MappingDescription): SupportFacts['holder'] {
  if (mapping.account_id !== null) return 'account';
  if (mapping.account_email !== null) return 'email';
  return mapping.legacy_account_id === null ? 'nothing' : 'older id';
}

function handoverOf({ handover }: MappingDescription, now: number): HandoverState | undefined {
  if (!handover) return undefined;
  if (handover.confirmed_at !== null) return 'confirmed';
  return handover.handed_at + DEAD_GRANT_KEPT > now ? 'open' : 'lapsed';
}

/** The grant on which the token stands. The described one may be of other tokens of its app and account. */
const ownGrant = ({ grant, isOwnGrant }: MappingDescription) => (isOwnGrant ? grant : undefined);

function grantFacts(described: MappingDescription, now: number): GrantFacts | null {
  const grant = ownGrant(described);
  return grant ? grantFactsOf(grant, { isClientKnown: described.isClientKnown, now }) : null;
}

function standingIn(context: HttpSupportDeps, described: MappingDescription): TokenStanding {
  const now = context.clock.now();
  const [grant, handover] = [grantFacts(described, now), handoverOf(described, now)];
  return standingOf({ ...rowFacts(context, described.mapping), grant, handover });
}

function supportFacts(context: HttpSupportDeps, described: MappingDescription): SupportFacts {
  const { mapping, app } = described;
  const grant = ownGrant(described);
  return {
    holder: holderOf(described),
    isUnidentified: app.source === 'observed',
    isUnproven: mapping.source === 'observed' && mapping.app_proven === 0,
    cause: grant?.dead_cause ?? null,
    isOfTakeOver: grant !== undefined && isOfTakeOver(grant),
    hasOldApi: oldApiStatusNow(context, provenApp(mapping)).hasOldApi,
    isLastRefused: described.calls.last?.isRefused === true,
  };
}

/** The newest action of staff on the token, as it can be taken back now. */
export const tokenDeed = (
  context: HttpSupportDeps,
  { mapping }: MappingDescription,
): Promise<DeedLook | undefined> => newestDeed(context, 'token', mapping.id);

/** Until when the revocation of a token can be taken back. */
const undoUntil = (deed: DeedLook | undefined): number | undefined =>
  deed?.kind === 'revoke' && deed.whyNot === undefined ? deed.until : undefined;

/** The standing of the token and the next step, with the date that ends it and the API that answers. */
export function mappingStanding(
  context: HttpSupportDeps,
  described: MappingDescription,
  deed: DeedLook | undefined,
) {
  const standing = standingIn(context, described);
  const facts = { ...supportFacts(context, described), undoUntil: undoUntil(deed) };
  return {
    ...supportStatus(standing, facts),
    side: sideSentence(standing),
    isLastRefused: standing.is === 'passed' && facts.isLastRefused,
    endsAt: standing.endsAt,
    until: standing.is === 'interrupted' ? standing.until : undefined,
  };
}

/** The actions that make sense for the token now. */
export function mappingActions(context: HttpSupportDeps, role: StaffRole, described: MappingDescription) {
  const { mapping, app } = described;
  const grant = ownGrant(described);
  return actionsFor(role, {
    mappingId: mapping.id,
    state: mapping.state,
    accountId: mapping.account_id,
    email: mapping.account_email,
    hasGrant: grant !== undefined && grant.state !== 'dead',
    isUnidentified: app.source === 'observed',
    isAssignable: isAssignable(mapping, app),
    canConnect: standingOfRow(context, mapping).canConnect,
    hasEnded: oldApiStatusNow(context, provenApp(mapping)).phase === 'ended',
  });
}

/** The card of the token's grant, or of the one of its app and account; undefined where there is none. */
export function mappingGrant(
  context: HttpSupportDeps,
  { grant, isOwnGrant, isClientKnown }: MappingDescription,
) {
  return (
    grant &&
    grantCard(grant, {
      isOwn: isOwnGrant,
      isClientKnown,
      nextAt: nextAttemptAt(context, grant),
      bridgeClientId: context.server.clientId,
      now: context.clock.now(),
    })
  );
}
