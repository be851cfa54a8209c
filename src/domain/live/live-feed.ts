import type { Clock } from '../../shared/clock.ts';
import { LIVE_WATCH, SECOND } from '../../shared/lifetimes.ts';
import type { Logger } from '../../shared/log/logger.ts';
import { insertLiveCalls, type NewLiveCall } from '../../store/usage/live-calls.ts';
import type { Store } from '../../store/driver/store.ts';
import { keepWatched, listWatched } from '../../store/usage/watched-apps.ts';
import { restAfterFailure } from '../work/rest-after-failure.ts';
import { agentOf, endpointOf } from '../usage/usage.ts';
import { createLiveIds } from './live-id.ts';
import { networkOf } from './network.ts';
import { type RepeatedWork, repeat } from '../../shared/repeat.ts';

/**
 * The calls of apps that a person watches, told to all processes within a second. A call waits for no write. A call of
 * an app without watchers costs one look into memory. No answer depends on the feed: a call that cannot be written is
 * not shown.
 */

export type AnsweringApi = NewLiveCall['answered_by'];

/** One answered call of an app. */
interface LiveCall {
  clientId: string;
  /** The account of the token. */
  accountId: string | null;
  method: string;
  endpoint: string;
  carrier: string;
  userAgent: string | undefined;
  /** The caller's address; only its network is kept. */
  address: string | undefined;
  hint: string | null;
  status: number;
  answeredBy: AnsweringApi;
}

export interface LiveFeed {
  isWatched(clientId: string): boolean;
  /** Keeps a call for the watchers of its app. Never throws, and writes nothing to the database. */
  note(call: LiveCall): void;
  /** Lets this app be watched for the next two minutes. Every process knows of the watch within a second. */
  watch(clientId: string): Promise<void>;
  /** Begins to learn which apps are watched in other processes, and to write calls. */
  start(): void;
  /** Aborts when the process stops: open streams must not keep the process running. */
  ending: AbortSignal;
  /** Ends all open streams. */
  end(): void;
  /** Stops the feed, after a last write. */
  stop(): Promise<void>;
}

const WRITE_EVERY = 250;

const LEARN_EVERY = 1 * SECOND;

/** The most calls of one app between two writes. No person reads more, and the writes for one app have a bound. */
const WAITING_MAX = 50;

interface LiveFeedDeps {
  store: Store;
  clock: Pick<Clock, 'now'>;
  logger: Logger;
  processId: string;
}

/** The calls that wait to be written, in the order of their ids. */
function createWaiting() {
  let rows: NewLiveCall[] = [];
  let ofApps = new Map<string, number>();
  return {
    hasRoom: (clientId: string) => (ofApps.get(clientId) ?? 0) < WAITING_MAX,
    add(row: NewLiveCall): void {
      rows.push(row);
      ofApps.set(row.client_id, (ofApps.get(row.client_id) ?? 0) + 1);
    },
    take(): NewLiveCall[] {
      const taken = rows;
      [rows, ofApps] = [[], new Map()];
      return taken;
    },
  };
}

function createRows({
  clock,
  processId,
}: Pick<LiveFeedDeps, 'clock' | 'processId'>): (call: LiveCall) => NewLiveCall {
  const newId = createLiveIds(processId);
  return ({ clientId, accountId, userAgent, answeredBy, address, endpoint, ...call }) => {
    const at = clock.now();
    return {
      ...call,
      id: newId(at),
      at,
      client_id: clientId,
      account_id: accountId,
      user_agent: agentOf(userAgent ?? ''),
      endpoint: endpointOf(endpoint),
      answered_by: answeredBy,
      network: networkOf(address),
    };
  };
}

/** The feed of one process. */
export function createLiveFeed({ store, clock, logger, processId }: LiveFeedDeps): LiveFeed {
  let watched = new Map<string, number>();
  const waiting = createWaiting();
  const rowOf = createRows({ clock, processId });
  const ending = new AbortController();
  const patient = { logger, message: 'calls cannot be shown live', firstRest: SECOND };
  const write = restAfterFailure(patient, async () => {
    const rows = waiting.take();
    if (rows.length > 0) await insertLiveCalls(store, rows);
  });
  const learn = restAfterFailure(patient, async () => {
    const rows = await listWatched(store, clock.now());
    watched = new Map(rows.map(({ client_id: clientId, until }) => [clientId, until]));
  });
  let running: RepeatedWork[] = [];
  const isWatched = (clientId: string) => (watched.get(clientId) ?? 0) > clock.now();
  return {
    isWatched,
    note(call) {
      if (isWatched(call.clientId) && waiting.hasRoom(call.clientId)) waiting.add(rowOf(call));
    },
    async watch(clientId) {
      const until = clock.now() + LIVE_WATCH;
      await keepWatched(store, { client_id: clientId, until });
      watched.set(clientId, until);
    },
    start() {
      running = [repeat(write, WRITE_EVERY), repeat(learn, LEARN_EVERY)];
    },
    ending: ending.signal,
    end: () => ending.abort(),
    async stop() {
      await Promise.all(running.map((work) => work.stop()));
      await write();
    },
  };
}
