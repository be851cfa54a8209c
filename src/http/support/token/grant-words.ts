import type { ShownGrant } from '../../../domain/support/describe-mapping.ts';
import { isStop } from '../../../domain/support/ended/ended-on-day.ts';
import { whyGrantEnded } from '../../../domain/tokens/standing/ends.ts';

/** A grant on the pages of support: all facts but its token pair. */

const STATES: Record<ShownGrant['state'], { label: string; kind: 'ok' | 'warning' | 'danger' | '' }> = {
  ready: { label: 'ready', kind: 'ok' },
  presenting: { label: 'being renewed', kind: 'ok' },
  in_doubt: { label: 'in doubt', kind: 'warning' },
  dead: { label: 'ended', kind: 'danger' },
};

interface GrantCardInput {
  /** Whether the token of the page stands on the grant. */
  isOwn: boolean;
  /** When a resting grant may next be looked into. */
  nextAt: number | undefined;
  /** Whether the client of the grant is the bridge's or the app's own. */
  isClientKnown: boolean;
  /** The bridge's own client at the new API. */
  bridgeClientId: string;
  now: number;
}

/** An end that somebody asked for is not shown as a fault. */
function shownState({ state, dead_cause: cause }: ShownGrant) {
  const { label, kind } = STATES[state];
  return { label, kind: state === 'dead' && !isStop(cause ?? '') ? '' : kind };
}

const othersWords = (which: string) =>
  `This token does not stand on it: it is the ${which} grant of this app and account.`;

const isStranded = ({ state }: ShownGrant, isClientKnown: boolean) => state !== 'dead' && !isClientKnown;

/** The card of a grant. */
export function grantCard(grant: ShownGrant, input: GrantCardInput) {
  const { isOwn, nextAt, bridgeClientId, now, isClientKnown } = input;
  const isDead = grant.state === 'dead';
  return {
    others: isOwn ? undefined : othersWords(isDead ? 'last' : 'live'),
    id: grant.id,
    version: grant.version,
    state: shownState(grant),
    cause: isDead ? (whyGrantEnded(grant.dead_cause) ?? 'not known') : undefined,
    endedAt: grant.dead_at ?? undefined,
    client: grant.modern_client_id,
    isStranded: isStranded(grant, isClientKnown),
    isBridgeClient: grant.modern_client_id === bridgeClientId,
    scopes: grant.scope.split(' '),
    accessExpiresAt: isDead ? undefined : grant.access_expires_at,
    isAccessExpired: grant.access_expires_at <= now,
    madeAt: grant.created_at,
    rotatedAt: grant.rotated_at,
    doubtSince: grant.state === 'in_doubt' ? (grant.doubt_since ?? undefined) : undefined,
    nextAt,
    isRestored: !isDead && grant.restored_at !== null,
  };
}
