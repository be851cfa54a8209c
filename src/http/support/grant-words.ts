import type { ShownGrant } from '../../domain/support/describe-mapping.ts';

/** A grant as support sees it: everything but its pair. */

const STATES: Record<ShownGrant['state'], { label: string; kind: 'ok' | 'warning' | 'danger' | '' }> = {
  ready: { label: 'ready', kind: 'ok' },
  presenting: { label: 'being renewed', kind: 'ok' },
  in_doubt: { label: 'in doubt', kind: 'warning' },
  dead: { label: 'ended', kind: 'danger' },
};

const CAUSES: Record<NonNullable<ShownGrant['dead_cause']>, string> = {
  refused: 'the new API refused its refresh token',
  lost: 'the answer that held its next pair was lost',
  superseded: 'after a restored backup, the original had renewed it',
  deauthorized: 'the access was ended',
  replaced: 'a newer consent replaced it',
  handed_over: 'its app took it over',
};

/** What ends a grant without anybody's harm. */
const MEANT = new Set(['deauthorized', 'replaced', 'handed_over']);

/** Why a grant ended, in words. */
export function deathWords(cause: string | null): string {
  return cause !== null && Object.hasOwn(CAUSES, cause) ? CAUSES[cause as keyof typeof CAUSES] : 'not known';
}

interface GrantFacts {
  /** When it may next be looked into, where it rests. */
  nextAt: number | undefined;
  /** The bridge's own client at the modern side. */
  bridgeClientId: string;
  now: number;
}

/** The grant card. */
export function grantCard(grant: ShownGrant, { nextAt, bridgeClientId, now }: GrantFacts) {
  const isDead = grant.state === 'dead';
  const state = STATES[grant.state];
  return {
    id: grant.id,
    version: grant.version,
    state: { ...state, kind: isDead && MEANT.has(grant.dead_cause ?? '') ? '' : state.kind },
    cause: isDead ? deathWords(grant.dead_cause) : undefined,
    endedAt: grant.dead_at ?? undefined,
    client: grant.modern_client_id,
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
