import { TOKEN_LATE_AFTER, PROBE_WITHOUT_TOKEN_AFTER } from '../../../shared/lifetimes.ts';
import { Refusal } from '../../../shared/refusals/refusal.ts';
import { readGrant } from '../../../store/grants/read-grant.ts';
import { BREAKER_OPEN } from '../../../upstream/breaker.ts';
import { NoFreePlace, type Takers } from '../../../upstream/concurrency-limit.ts';
import { inReadPlace } from '../../../upstream/token-endpoint-limit.ts';
import type { GrantsDeps } from '../deps.ts';
import type { WantedGrant } from './access-token.ts';
import { withAccessToken } from './with-access-token.ts';

/**
 * Reads of the main API behind its breaker. While the breaker is open no read begins, so no read refreshes a grant
 * either. The read that finds out whether the main API answers again has an access token that is not due for renewal:
 * a probe never presents a refresh token (docs/decisions/0025).
 */

/** Whether the read of this grant needs no refresh, now or ahead of time. */
async function hasTokenInHand({ store, clock }: GrantsDeps, grantId: string): Promise<boolean> {
  const grant = await readGrant(store, grantId);
  return grant !== undefined && grant.refresh_at > clock.now();
}

/** Whether this read may find out whether the main API answers again. Otherwise a request without a token may. */
async function isProbe(context: GrantsDeps, { id }: WantedGrant): Promise<boolean> {
  const { reads } = context.sides;
  const waited = reads.waitsForProbe();
  if (waited === undefined) return false;
  if (await hasTokenInHand(context, id)) return true;
  // An answer without a token says less, so reads of other grants have the first chance.
  if (waited >= PROBE_WITHOUT_TOKEN_AFTER) reads.knock();
  return false;
}

/** What the log of troubles calls these reads. */
const READS = 'reads';

type AuthorizedRead<Answer> = (accessToken: string) => Promise<Answer>;

async function whileOpen(
  context: GrantsDeps,
  grant: WantedGrant,
  ask: AuthorizedRead<unknown>,
): Promise<never> {
  // Nobody waits for a probe. The breaker notes what it shows. A read that the budget forbids shows nothing.
  if (await isProbe(context, grant))
    withAccessToken(context, grant, ask).catch((error: unknown) => {
      if (error instanceof Refusal) context.sides.reads.knock();
    });
  throw BREAKER_OPEN;
}

/** Begins a read in one of the few places. @throws {NoFreePlace}, and the errors of `read` */
async function inTurn<Answer>(
  { metrics, troubles }: Pick<GrantsDeps, 'metrics' | 'troubles'>,
  takers: Takers,
  read: () => Promise<Answer>,
): Promise<Answer> {
  const begin = () => {
    troubles.reads.done(READS);
    return read();
  };
  try {
    return await inReadPlace(begin, takers);
  } catch (error) {
    if (error instanceof NoFreePlace) {
      metrics.upstream.noteTurnedAway();
      troubles.reads.note(READS, error);
    }
    throw error;
  }
}

/**
 * Reads the main API with a live access token, in one of its few places. `ask` reads only, and may run again.
 * @throws {GrantDead | Unavailable}, and the errors of `ask`
 */
export async function readWithAccessToken<Answer>(
  context: GrantsDeps,
  grant: WantedGrant,
  ask: AuthorizedRead<Answer>,
): Promise<Answer> {
  const { reads } = context.sides;
  if (reads.isOpen()) return whileOpen(context, grant, ask);
  // Where every access token has ended, no read would show that the main API is away too.
  const late = setInterval(() => reads.knock(), TOKEN_LATE_AFTER);
  try {
    return await withAccessToken(context, grant, (accessToken, { clientId, grantId }) => {
      clearInterval(late);
      const takers = [`app ${clientId}`, `grant ${grantId}`];
      return inTurn(context, takers, () => ask(accessToken));
    });
  } finally {
    clearInterval(late);
  }
}
