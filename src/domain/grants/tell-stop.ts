import { SECOND } from '../../shared/lifetimes.ts';
import { Rejected, Unavailable } from '../../upstream/outcomes.ts';
import { createOnceAMinute } from '../work/once-a-minute.ts';
import type { GrantsDeps } from './deps.ts';

/** Tells a person what keeps grants from being refreshed: once a minute and process, however many grants it stops. */

const isDue = createOnceAMinute();

/** Tells of a client whose credentials the bridge does not have. */
export function tellUnknownClient(context: GrantsDeps, modernClientId: string): void {
  if (!isDue(context, `unknown ${modernClientId}`)) return;
  context.logger.error(
    'ALARM: connections stand on a client that this bridge does not know: set MODERN_CLIENT_ID back',
    { modernClientId },
  );
}

/** Tells of a disk that may have no room to keep the next pair. A line for each call would fill the disk further. */
export function tellFullDisk(context: GrantsDeps): void {
  if (!isDue(context, 'disk')) return;
  context.logger.error('ALARM: the disk is nearly full, the bridge refreshes no grant: make room');
}

/** Tells where the new API has answered a refresh with 429: its callers hear only that the grant rests. */
export function tellAskedToWait(
  context: GrantsDeps,
  grant: { modern_client_id: string },
  error: unknown,
): void {
  if (!(error instanceof Unavailable) || error.status !== 429) return;
  const { modern_client_id: modernClientId } = grant;
  const { isOfClient, retryAfter } = error;
  if (!isDue(context, `wait ${modernClientId} ${isOfClient}`)) return;
  const waitSeconds = retryAfter && Math.ceil(retryAfter / SECOND);
  const fields = { modernClientId, isOfClient, waitSeconds };
  context.logger.warn('the new API asks the bridge to wait with refreshes', fields);
}

const OF_BRIDGE =
  'ALARM: the new API refuses the client of the bridge: check MODERN_CLIENT_ID and MODERN_CLIENT_SECRET';
const OF_APP =
  'ALARM: the new API refuses the client of an app: its owner has to enter it again, with a secret that is right';

/** Tells where the new API has refused the client of a grant. Other errors are told elsewhere. */
export function tellRefusedClient(
  context: GrantsDeps,
  grant: { modern_client_id: string; client_id: string },
  error: unknown,
): void {
  const refusal = error instanceof Unavailable ? error.cause : error;
  if (!(refusal instanceof Rejected)) return;
  const { modern_client_id: modernClientId, client_id: clientId } = grant;
  if (!isDue(context, `refused ${modernClientId}`)) return;
  const isBridge = modernClientId === context.server.clientId;
  const app = isBridge ? {} : { clientId };
  context.logger.error(isBridge ? OF_BRIDGE : OF_APP, { refusal: refusal.code, modernClientId, ...app });
}
