import type { GrantState, MappingState, MappingSource } from '../../../store/tables/tables.ts';
import type { OldApiFacts } from '../../lifecycle/old-api-status.ts';
import { isFromBefore } from './from-before.ts';

/**
 * How one token stands: the one decision behind everything that people and programs are told of a token. A pure
 * function of the facts of one moment. What each reader is told stands beside it: `words.ts` has the words that all
 * readers share, `for-caller.ts`, `for-person.ts` and `for-support.ts` have the rest.
 *
 * The decision which API answers a call is another one (`old-calls/who-answers.ts`).
 */

/** The grant behind a connected token. */
export interface GrantFacts {
  state: GrantState;
  /** Whether the access token of the grant still serves. */
  isServing?: boolean;
  /** Whether the new API refused a fresh access token a moment ago. */
  isSuspect?: boolean;
  /** Whether the bridge does not have the client of the grant: nobody may renew it meanwhile. */
  isStranded?: boolean;
  /** Whether the grant rests after an attempt to renew it that failed. */
  isResting?: boolean;
}

/** What becomes of the pair that an app took over: its app has confirmed it, has still to, or never did in time. */
export type HandoverState = 'confirmed' | 'open' | 'lapsed';

export interface TokenFacts {
  state: MappingState;
  /** The reason that the mapping keeps for its state. */
  reason: string | null;
  source: MappingSource;
  isAppRetired?: boolean;
  /** Undefined where the reader is not told of the grant; null where no grant serves the token. */
  grant?: GrantFacts | null | undefined;
  handover?: HandoverState | undefined;
  /** Whether the cut-over of its app includes the token. */
  isCutOver?: boolean;
  /** Whether the old API has refused the token while a grant served it. */
  isRefusedThere?: boolean;
  oldApi: OldApiFacts;
}

/**
 * - `ready`: it serves. `renewing`: its refresh token is being presented.
 * - `in doubt`: a renewal got no whole answer, or a take-over put the grant in doubt; the access token still serves.
 * - `in doubt, expired`: the same, and the access token does not serve any more.
 * - `suspect`: the new API refused a fresh access token a moment ago.
 * - `stranded`: its client is not known to the bridge, so it is not renewed; the access token still serves.
 * - `stranded, expired`: the same, and the access token does not serve any more.
 * - `resting, expired`: the access token does not serve any more, and the grant rests after a failed renewal.
 * - `missing`: no live grant is there, which should not be.
 */
export type TokenConnection =
  | 'ready'
  | 'renewing'
  | 'in doubt'
  | 'in doubt, expired'
  | 'suspect'
  | 'stranded'
  | 'stranded, expired'
  | 'resting, expired'
  | 'missing';

/**
 * Which API answers the calls about posts of a connected token: the old one until the retirement or a cut-over, or the
 * new one. The new one may answer because of the cut-over, because the old API refused the token, or anyway.
 */
type AnsweringSide = 'old' | 'cut over' | 'refused there' | 'new';

/** How a token stands, with what the words about it need. */
type StandingCase =
  /** Connected: a grant serves the token. */
  | { is: 'served'; connection: TokenConnection; side: AnsweringSide }
  /** Not connected, and the old API answers. */
  | { is: 'passed' }
  /** A brownout refuses the calls, which are answered before and after it. */
  | { is: 'interrupted'; isConnected: boolean; until: number }
  /** Not connected, and neither API answers. `retired`: the old API answered until `since`. */
  | { is: 'refused'; why: 'retired'; since: number | undefined }
  | { is: 'refused'; why: 'registration' | 'unanswered' }
  /** The connection has ended, and a consent makes a new one. */
  | { is: 'stopped'; reason: string | null }
  /** The old API has ended for the app: no call is answered, connected or not. */
  | { is: 'ended'; was: 'connected' | 'unconnected' }
  | { is: 'ended'; was: 'stopped'; reason: string | null }
  /** Ended for good. */
  | { is: 'revoked'; reason: string | null }
  /** The app has taken the grant over. */
  | { is: 'moved'; handover: HandoverState | undefined }
  /** The app was retired, and all its tokens are refused. */
  | { is: 'orphaned' };

export type TokenStanding = StandingCase & {
  /** Whether a consent of its holder makes the token work, or work again. */
  canConnect: boolean;
  /** When calls that are answered now end by a date; undefined where none is answered, or no date is set. */
  endsAt: number | undefined;
};

/** Tokens in these states end with the old API; a token that has ended for good stays what it is. */
const LIVE: readonly MappingState[] = ['unmapped', 'active', 'reauthorization_required'];

function liveConnection({ state, isServing = true, ...grant }: GrantFacts): TokenConnection {
  // First: while its client is not known, no other trouble of the grant is settled either.
  if (grant.isStranded) return isServing ? 'stranded' : 'stranded, expired';
  if (state === 'in_doubt') return isServing ? 'in doubt' : 'in doubt, expired';
  if (grant.isSuspect) return 'suspect';
  if (state === 'presenting') return 'renewing';
  return grant.isResting && !isServing ? 'resting, expired' : 'ready';
}

function connectionOf(grant: TokenFacts['grant']): TokenConnection {
  if (grant === undefined) return 'ready';
  return grant === null || grant.state === 'dead' ? 'missing' : liveConnection(grant);
}

function sideOf({ source, isCutOver, isRefusedThere, oldApi }: TokenFacts): AnsweringSide {
  if (!isFromBefore({ source }) || !oldApi.hasBackend || oldApi.phase !== 'before') return 'new';
  if (isRefusedThere) return 'refused there';
  return isCutOver ? 'cut over' : 'old';
}

/** After the sunset. */
function ended({ state, reason }: TokenFacts): StandingCase {
  if (state === 'reauthorization_required') return { is: 'ended', was: 'stopped', reason };
  return { is: 'ended', was: state === 'active' ? 'connected' : 'unconnected' };
}

function served(facts: TokenFacts): StandingCase {
  const { outage } = facts.oldApi;
  const connection = connectionOf(facts.grant);
  // A brownout ends by itself; a connection that is missing has to be told.
  if (outage?.rehearses === 'sunset' && connection !== 'missing')
    return { is: 'interrupted', isConnected: true, until: outage.endsAt };
  return { is: 'served', connection, side: sideOf(facts) };
}

function unconnected({ source, oldApi }: TokenFacts): StandingCase {
  const { phase, hasBackend, outage, retiresAt } = oldApi;
  if (source === 'registration') return { is: 'refused', why: 'registration' };
  // A retirement ends the answers of the old API alone.
  if (!hasBackend || !isFromBefore({ source })) return { is: 'refused', why: 'unanswered' };
  if (phase === 'retired') return { is: 'refused', why: 'retired', since: retiresAt };
  return outage ? { is: 'interrupted', isConnected: false, until: outage.endsAt } : { is: 'passed' };
}

const BY_STATE: Record<MappingState, (facts: TokenFacts) => StandingCase> = {
  active: served,
  unmapped: unconnected,
  reauthorization_required: ({ reason }) => ({ is: 'stopped', reason }),
  revoked: ({ reason }) => ({ is: 'revoked', reason }),
  migrated: ({ handover }) => ({ is: 'moved', handover }),
};

function caseOf(facts: TokenFacts): StandingCase {
  if (facts.isAppRetired) return { is: 'orphaned' };
  if (facts.oldApi.phase === 'ended' && LIVE.includes(facts.state)) return ended(facts);
  return BY_STATE[facts.state](facts);
}

function isConnectable(one: StandingCase): boolean {
  if (one.is === 'interrupted') return !one.isConnected;
  return one.is === 'passed' || one.is === 'refused' || one.is === 'stopped';
}

/** The first date that ends the answers. */
function endOf({ is }: StandingCase, { retiresAt, sunsetAt }: OldApiFacts): number | undefined {
  if (is !== 'served' && is !== 'passed') return undefined;
  const ends = [is === 'passed' ? retiresAt : undefined, sunsetAt].filter((at) => at !== undefined);
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** How a token stands. */
export function standingOf(facts: TokenFacts): TokenStanding {
  const found = caseOf(facts);
  return { ...found, canConnect: isConnectable(found), endsAt: endOf(found, facts.oldApi) };
}
