import type { MappingState } from '../../store/tables/tables.ts';
import { statesWithTokens } from '../../store/tokens/app-tokens.ts';
import type { Phase } from '../lifecycle/old-api-status.ts';
import type { TokensDeps } from './deps.ts';

/** How a whole app stands, in one word. */

/**
 * `stopped`: all that is not at an end has stopped. `partly-stopped`: some of it has. `waiting`: nothing has stopped, and
 * some tokens were never connected. `none`: it has no token yet.
 */
export type AppState = 'waiting' | 'partly-stopped' | 'stopped' | 'connected' | 'moved' | 'revoked' | 'none';

const AT_AN_END: readonly MappingState[] = ['migrated', 'revoked'];

/** The state of an app that has tokens in these states. After the sunset nothing that is left works or waits. */
function appStateFrom(present: readonly MappingState[], phase: Phase): AppState {
  const open = present.filter((state) => !AT_AN_END.includes(state));
  if (open.length > 0) return openState(open, phase);
  if (present.includes('migrated')) return 'moved';
  return present.length > 0 ? 'revoked' : 'none';
}

function openState(open: readonly MappingState[], phase: Phase): AppState {
  if (phase === 'ended' || open.every((state) => state === 'reauthorization_required')) return 'stopped';
  if (open.includes('reauthorization_required')) return 'partly-stopped';
  return open.every((state) => state === 'active') ? 'connected' : 'waiting';
}

/** The state of an app now. */
export async function appStateNow(
  { store }: Pick<TokensDeps, 'store'>,
  clientId: string,
  phase: Phase,
): Promise<AppState> {
  return appStateFrom(await statesWithTokens(store.durable, clientId), phase);
}
