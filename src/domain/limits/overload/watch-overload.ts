import { MINUTE, SECOND } from '../../../shared/lifetimes.ts';
import { addGauge } from '../../../shared/metrics/gauge.ts';
import type { Logger } from '../../../shared/log/logger.ts';
import type { Metrics } from '../../../shared/metrics/metrics.ts';
import type { Store } from '../../../store/driver/store.ts';
import { LOOK_EVERY, type Overload } from './overload.ts';

interface WatchedProcess {
  overload: Overload;
  store: Pick<Store, 'connectionWait'>;
  metrics: Pick<Metrics, 'registry'>;
  logger: Logger;
  /** How long a request waits for its turn, in milliseconds. */
  requestWait: () => number;
}

/** Tells of an overload with its first refusal, once a minute while calls are refused, and when it has ended. */
function createTeller({ overload, logger }: Pick<WatchedProcess, 'overload' | 'logger'>) {
  let toldAt: number | undefined;
  let before = 0;
  const tell = (message: string) => {
    const wait = Math.round(overload.wait());
    logger.warn(message, { refused: overload.refused() - before, wait });
    before = overload.refused();
  };
  return (now: number): void => {
    if (overload.isOn()) {
      // A process that is late and refuses nothing answers all calls.
      if (overload.refused() === before) return;
      if (toldAt !== undefined && now - toldAt < MINUTE) return;
      toldAt = now;
      return tell('the bridge has more calls than it can answer, it refuses some');
    }
    if (toldAt === undefined) return;
    toldAt = undefined;
    tell('the bridge answers all calls again');
  };
}

/** Looks all the time how late this process is. The returned function ends that. */
export function watchOverload({ overload, store, metrics, logger, requestWait }: WatchedProcess): () => void {
  const tell = createTeller({ overload, logger });
  addGauge(metrics.registry, {
    name: 'grantbridge_overload_wait_seconds',
    help: 'How long a call that came now would wait for this process; of the slowest worker.',
    together: 'max',
    read: () => [{ value: overload.wait() / SECOND }],
  });
  const timer = setInterval(() => {
    const now = performance.now();
    overload.look({ now, databaseWait: store.connectionWait(), requestWait: requestWait() });
    tell(now);
  }, LOOK_EVERY).unref();
  return () => clearInterval(timer);
}
