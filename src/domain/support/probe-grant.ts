import { SECOND } from '../../shared/lifetimes.ts';
import { findGrant } from '../../store/grants/grants.ts';
import { Forbidden, Unauthorized } from '../../upstream/main-api.ts';
import { Unavailable } from '../../upstream/outcomes.ts';
import { LimitReached } from '../limits/limit-reached.ts';
import { GrantDead } from '../grants/refresh/access-token.ts';
import { cachedAnswer } from '../grants/refresh/answer-cache.ts';
import { askForAccount } from '../reads/ask-for-account.ts';
import type { GrantClient } from '../grants/grant-client.ts';
import type { GrantAtWork } from '../grants/grant-at-work.ts';
import { mainApiOf } from '../grants/main-api-of.ts';
import type { Origin } from '../origin.ts';
import type { SupportDeps } from './deps.ts';
import { serverOf, UnknownClient } from '../grants/modern-client.ts';
import { withTimeout } from '../work/with-timeout.ts';
import { recordEvent } from '../history/record-event.ts';
import { doubtEndsAt } from '../grants/refresh/refresh-policy.ts';
import { checkedReason } from '../history/reason.ts';
import { openAccessToken, openRefreshToken } from '../grants/sealed-pair.ts';
import { mappingTarget } from './actions/actions.ts';

/**
 * Support asks whether the new API answers for the grant of a token at this moment. For a grant that is ready, the
 * bridge asks as a call of the app would ask. For a grant in doubt, the bridge presents no refresh token
 * (docs/decisions/0005). It tries the access token while the access token lives. Afterwards it asks the authorization
 * server about the refresh token, once the rules let the bridge look into the grant at all.
 */

/**
 * - `works`: the main API answered.
 * - `not covered`: the main API answered that the consent does not cover the read.
 * - `died`: the grant ended when the bridge asked.
 * - `no answer`: the new API is out of reach or asks to wait.
 * - `unknown client`: nothing was asked, because the bridge does not know the client of the grant.
 * - `in doubt, served` and `in doubt, refused`: the main API took or refused the access token, which still lives.
 * - `in doubt, live` and `in doubt, spent`: what the authorization server says of the refresh token.
 * - `in doubt, unsure`: the bridge may not ask yet, or the authorization server cannot say.
 */
export type ProbeOutcome =
  | 'works'
  | 'not covered'
  | 'died'
  | 'no answer'
  | 'unknown client'
  | 'in doubt, served'
  | 'in doubt, refused'
  | 'in doubt, live'
  | 'in doubt, spent'
  | 'in doubt, unsure';

/** Each test is a call to the new API, which has limits of its own. For each person or key. */
export const PROBES_A_MINUTE = 6;

/** @throws {LimitReached} */
function requireFewProbes({ counts }: SupportDeps, { actor }: Origin): void {
  const { points, secondsLeft } = counts.count(['grant probes', actor]);
  if (points > PROBES_A_MINUTE) throw new LimitReached('too many tests in a minute', secondsLeft * SECOND);
}

interface ProbeRequest extends Origin {
  mappingId: string;
  reason: string;
}

function failureOf(error: unknown): ProbeOutcome {
  if (error instanceof GrantDead) return 'died';
  if (error instanceof Forbidden) return 'not covered';
  if (error instanceof UnknownClient) return 'unknown client';
  if (error instanceof Unavailable) return 'no answer';
  throw error;
}

const clientOf = ({
  id,
  client_id: clientId,
  modern_client_id: modernClientId,
  calling,
}: GrantAtWork): GrantClient => ({ id, clientId, modernClientId, calling });

async function askAsCallsDo(context: SupportDeps, grant: GrantAtWork): Promise<ProbeOutcome> {
  const cached = await cachedAnswer(context, grant.id);
  const known = cached ? (JSON.parse(cached.organization_ids) as string[]) : [];
  await withTimeout(askForAccount(context, clientOf(grant), { known }));
  return 'works';
}

async function tryAccessToken(context: SupportDeps, grant: GrantAtWork): Promise<ProbeOutcome> {
  const mainApi = mainApiOf(context, clientOf(grant));
  try {
    await withTimeout(mainApi.read(openAccessToken(context, grant), []));
    return 'in doubt, served';
  } catch (error) {
    if (error instanceof Unauthorized) return 'in doubt, refused';
    throw error;
  }
}

async function askAboutRefreshToken(context: SupportDeps, grant: GrantAtWork): Promise<ProbeOutcome> {
  const now = context.clock.now();
  const mayLook = grant.state === 'in_doubt' && !context.instance.isCopy();
  if (!mayLook || doubtEndsAt(grant, context.settings.inDoubtQuiet, now) > now) return 'in doubt, unsure';
  const server = await serverOf(context, grant.modern_client_id);
  const isLive = await withTimeout(server.isLive(openRefreshToken(context, grant), grant.calling?.trace));
  if (isLive === undefined) return 'in doubt, unsure';
  return isLive ? 'in doubt, live' : 'in doubt, spent';
}

function probe(context: SupportDeps, grant: GrantAtWork): Promise<ProbeOutcome> {
  if (grant.state === 'ready') return askAsCallsDo(context, grant);
  const isServing = grant.access_expires_at > context.clock.now();
  return isServing ? tryAccessToken(context, grant) : askAboutRefreshToken(context, grant);
}

/**
 * Asks, and records the outcome in the history. Undefined where no live grant serves the token.
 * @throws {ReasonRefused | LimitReached}
 */
export async function probeGrant(
  context: SupportDeps,
  asked: ProbeRequest,
): Promise<ProbeOutcome | undefined> {
  const { mappingId, actor, requestId } = asked;
  const reason = checkedReason(asked.reason);
  requireFewProbes(context, asked);
  const target = await mappingTarget(context, mappingId);
  const grantId = target?.state === 'active' ? target.grantId : null;
  const grant = grantId === null ? undefined : await findGrant(context.store.durable, grantId);
  if (!target || !grant || grant.state === 'dead') return undefined;
  const calling = requestId === null ? undefined : { requestId, trace: asked.trace };
  const outcome = await probe(context, { ...grant, calling }).catch(failureOf);
  await context.store.transaction((tx) =>
    recordEvent(context, tx, {
      at: context.clock.now(),
      actor,
      requestId,
      clientId: target.clientId,
      accountId: target.accountId,
      grantId: grant.id,
      mappingId,
      action: 'grant_probed',
      reason: `${outcome}: ${reason}`,
    }),
  );
  return outcome;
}
