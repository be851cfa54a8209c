import type { Logger } from '../../shared/log/logger.ts';
import { MINUTE, SECOND } from '../../shared/lifetimes.ts';
import type { Vault } from '../../shared/secrets.ts';
import { type KnownToken, listByDigests } from '../../store/tokens/known-tokens.ts';
import type { Store } from '../../store/driver/store.ts';
import { restAfterFailure } from '../work/rest-after-failure.ts';

export type { KnownToken } from '../../store/tokens/known-tokens.ts';

/**
 * Whose tokens came with calls that were answered without a look at them: after the sunset, and at addresses that nobody
 * serves. Owners look for the forgotten script just then. The answers stay as quick as they are and wait for nothing: many
 * tokens are looked up together, in one statement each turn, so that a flood of such calls costs the database no more than
 * ten statements a second. What comes beyond that, or while the database is away, is not known of.
 */

export interface DeferredTokenLookup {
  /** Whether one more token can be looked up in this turn. Where not, its call is left out, and a flood of them logged. */
  hasRoom(): boolean;
  /** Tells whose token it is, soon, if the bridge knows it. Never throws. */
  lookUp(token: string, tell: (known: KnownToken) => void): void;
  /** Looks up what waits, for the last time. */
  close(): Promise<void>;
}

/** A live page is to show a call within a second of its arrival; this is a part of it. */
const TURN = 100;

/** Tokens of one turn. */
const ROOM = 100;

/** Calls of one turn, with whichever of them. */
const CALLS = 1000;

type Tell = (known: KnownToken) => void;

type Waiting = ReadonlyMap<string, Tell[]>;

interface Parts {
  store: Store;
  vault: Vault;
  logger: Logger;
}

/** A key that this process has not read yet hides a token for a second; nobody is refused for it. */
async function lookUpAll({ store, vault }: Omit<Parts, 'logger'>, waiting: Waiting): Promise<void> {
  if (waiting.size === 0) return;
  const ofDigests = new Map(
    [...waiting].flatMap(([token, tells]) => vault.digests(token).map((digest) => [digest, tells] as const)),
  );
  for (const known of await listByDigests(store, [...ofDigests.keys()]))
    ofDigests.get(known.token_digest)?.forEach((tell) => tell(known));
}

/** The tokens that wait for the next turn, each with the calls that brought it. */
function createWaiting() {
  let waiting = new Map<string, Tell[]>();
  let calls = 0;
  const hasRoom = () => waiting.size < ROOM && calls < CALLS;
  return {
    hasRoom,
    size: () => waiting.size,
    /** Adds a call, unless it would be one too many. */
    add(token: string, tell: Tell): boolean {
      const tells = waiting.get(token);
      if (tells ? calls >= CALLS : !hasRoom()) return false;
      if (tells) tells.push(tell);
      else waiting.set(token, [tell]);
      calls += 1;
      return true;
    },
    take(): Waiting {
      const taken = waiting;
      waiting = new Map();
      calls = 0;
      return taken;
    },
  };
}

/** Says that calls are left out, once for each flood, which is over when none was for a minute. */
function createFloodWarning(logger: Logger): () => void {
  let overAt = 0;
  return () => {
    const now = performance.now();
    if (now >= overAt)
      logger.warn('calls that were refused unread are left out', { tokens: ROOM, calls: CALLS });
    overAt = now + MINUTE;
  };
}

/** The look-ups of one process; a turn begins with the first token that waits, and never while another one runs. */
export function createDeferredTokenLookup({ logger, ...parts }: Parts): DeferredTokenLookup {
  const waiting = createWaiting();
  const warnOfFlood = createFloodWarning(logger);
  const nobody: Waiting = new Map();
  let asked = nobody;
  const patient = { logger, message: 'calls that were refused unread are not measured', firstRest: SECOND };
  const look = restAfterFailure(patient, () => lookUpAll(parts, asked));
  let [timer, running] = [undefined as NodeJS.Timeout | undefined, Promise.resolve()];
  let isClosed = false;
  const turn = async () => {
    asked = waiting.take();
    await look();
    // Tokens as they came are held no longer than that.
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
