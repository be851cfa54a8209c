import type { Logger } from '../../shared/log/logger.ts';
import { MINUTE, SECOND } from '../../shared/lifetimes.ts';
import type { Vault } from '../../shared/secrets.ts';
import { type KnownToken, listByDigests } from '../../store/tokens/known-tokens.ts';
import type { Store } from '../../store/driver/store.ts';
import { restAfterFailure } from '../work/rest-after-failure.ts';

export type { KnownToken } from '../../store/tokens/known-tokens.ts';

/**
 * Finds the tokens of calls that were refused without a look at the token: calls after the sunset, and calls to
 * addresses that nothing serves. Owners search for a forgotten script at just that time. The refusals wait for nothing.
 * Many tokens are looked up in one statement for each turn, so even a flood of such calls costs the database at most
 * ten statements a second. Calls beyond that rate, or during an outage of the database, are not counted.
 */

export interface DeferredTokenLookup {
  /**
   * Whether this turn has room for one more token. Without room the caller leaves the call out, and the log warns of
   * the flood.
   */
  hasRoom(): boolean;
  /** Calls `tell` soon with the token, if the bridge knows the token. Never throws. */
  lookUp(token: string, tell: (known: KnownToken) => void): void;
  /** Looks up the waiting tokens for the last time. */
  close(): Promise<void>;
}

/** A part of the second within which a live page has to show a call. */
const TURN = 100;

/** The most tokens of one turn. */
const ROOM = 100;

/** The most calls of one turn, with whichever tokens. */
const CALLS = 1000;

type LookupCallback = (known: KnownToken) => void;

type WaitingLookups = ReadonlyMap<string, LookupCallback[]>;

interface TokenLookupDeps {
  store: Store;
  vault: Vault;
  logger: Logger;
}

/**
 * Looks up the waiting tokens. A token under a new key stays unknown for a second, until this process has read the key.
 * No call is refused because of that.
 */
async function lookUpAll(
  { store, vault }: Omit<TokenLookupDeps, 'logger'>,
  waiting: WaitingLookups,
): Promise<void> {
  if (waiting.size === 0) return;
  const ofDigests = new Map(
    [...waiting].flatMap(([token, tells]) => vault.digests(token).map((digest) => [digest, tells] as const)),
  );
  for (const known of await listByDigests(store, [...ofDigests.keys()]))
    ofDigests.get(known.token_digest)?.forEach((tell) => tell(known));
}

/** The tokens that wait for the next turn, each with the calls that brought the token. */
function createWaiting() {
  let waiting = new Map<string, LookupCallback[]>();
  let calls = 0;
  const hasRoom = () => waiting.size < ROOM && calls < CALLS;
  return {
    hasRoom,
    size: () => waiting.size,
    /** Adds a call; false where there is no room. */
    add(token: string, tell: LookupCallback): boolean {
      const tells = waiting.get(token);
      if (tells ? calls >= CALLS : !hasRoom()) return false;
      if (tells) tells.push(tell);
      else waiting.set(token, [tell]);
      calls += 1;
      return true;
    },
    take(): WaitingLookups {
      const taken = waiting;
      waiting = new Map();
      calls = 0;
      return taken;
    },
  };
}

/** Warns that calls are left out, once for each flood. A flood is over when no call was left out for a minute. */
function createFloodWarning(logger: Logger): () => void {
  let overAt = 0;
  return () => {
    const now = performance.now();
    if (now >= overAt)
      logger.warn('calls that were refused unread are not counted', { tokens: ROOM, calls: CALLS });
    overAt = now + MINUTE;
  };
}

/** The look-ups of one process. A turn begins with the first waiting token, and never while another turn runs. */
export function createDeferredTokenLookup({ logger, ...parts }: TokenLookupDeps): DeferredTokenLookup {
  const waiting = createWaiting();
  const warnOfFlood = createFloodWarning(logger);
  const nobody: WaitingLookups = new Map();
  let asked = nobody;
  const patient = { logger, message: 'calls that were refused unread are not measured', firstRest: SECOND };
  const look = restAfterFailure(patient, () => lookUpAll(parts, asked));
  let [timer, running] = [undefined as NodeJS.Timeout | undefined, Promise.resolve()];
  let isClosed = false;
  const turn = async () => {
    asked = waiting.take();
    await look();
    // Plain tokens are held in memory no longer than this turn.
    asked = nobody;
    timer = waiting.size() > 0 ? soon() : undefined;
  };
  const soon = () =>
    setTimeout(() => {
      running = turn();
    }, TURN).unref();
  return {
    hasRoom() {
      const hasRoom = waiting.hasRoom();
      if (!hasRoom && !isClosed) warnOfFlood();
      return hasRoom && !isClosed;
    },
    lookUp(token, tell) {
      if (isClosed) return;
      if (!waiting.add(token, tell)) warnOfFlood();
      timer ??= soon();
    },
    async close() {
      isClosed = true;
      await running;
      clearTimeout(timer);
      await turn();
    },
  };
}
