import type { Logger } from '../shared/logger.ts';
import { SECOND } from '../shared/lifetimes.ts';
import type { Vault } from '../shared/secrets.ts';
import { type KnownToken, listByDigests } from '../store/known-tokens.ts';
import type { Store } from '../store/store.ts';
import { tolerant } from './tolerant.ts';

export type { KnownToken } from '../store/known-tokens.ts';

/**
 * Whose tokens came with calls that were answered without a look at them: after the sunset, and at addresses that nobody
 * serves. Owners look for the forgotten script just then. The answers stay as quick as they are and wait for nothing: many
 * tokens are looked up together, in one statement each turn, so that a flood of such calls costs the database no more than
 * ten statements a second. What comes beyond that, or while the database is away, is not known of.
 */

export interface LateTokens {
  /** Whether one more token can be looked up in this turn. */
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

/** Calls with one of them in one turn. */
const CALLS = 100;

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
  return {
    size: () => waiting.size,
    add(token: string, tell: Tell): void {
      const tells = waiting.get(token);
      if (!tells && waiting.size < ROOM) waiting.set(token, [tell]);
      else if (tells && tells.length < CALLS) tells.push(tell);
    },
    take(): Waiting {
      const taken = waiting;
      waiting = new Map();
      return taken;
    },
  };
}

/** The look-ups of one process; a turn begins with the first token that waits, and never while another one runs. */
export function createLateTokens({ logger, ...parts }: Parts): LateTokens {
  const waiting = createWaiting();
  let asked: Waiting = new Map();
  const patient = { logger, message: 'calls that were refused unread are not measured', firstRest: SECOND };
  const look = tolerant(patient, () => lookUpAll(parts, asked));
  let [timer, running] = [undefined as NodeJS.Timeout | undefined, Promise.resolve()];
  let isClosed = false;
  const turn = async () => {
    asked = waiting.take();
    await look();
    timer = waiting.size() > 0 ? soon() : undefined;
  };
  const soon = () =>
    setTimeout(() => {
      running = turn();
    }, TURN).unref();
  return {
    hasRoom: () => !isClosed && waiting.size() < ROOM,
    lookUp(token, tell) {
      if (isClosed) return;
      waiting.add(token, tell);
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
