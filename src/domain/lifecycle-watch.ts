import type { Clock } from '../shared/clock.ts';
import { SECOND } from '../shared/lifetimes.ts';
import type { Logger } from '../shared/logger.ts';
import { createNextRun } from '../shared/next-run.ts';
import {
  type BrownoutRow,
  readBrownouts,
  readDates,
  readExemptions,
  readExtensions,
} from '../store/lifecycle.ts';
import type { Milestone } from '../store/lifecycle-tables.ts';
import type { Store } from '../store/store.ts';
import type { Brownout, Lifecycle } from './lifecycle.ts';
import { tolerant } from './tolerant.ts';

/**
 * The lifecycle as this process knows it. What is planned two seconds ahead or more is known to every process before it
 * begins, so that all of them change their answers in the same millisecond; without the database the last reading counts.
 */
export interface LifecycleWatch {
  current(): Lifecycle;
  /** Reads it anew, for whoever has just changed it. */
  refresh(): Promise<void>;
  stop(): void;
}

const READ_EVERY = 1 * SECOND;

interface Parts {
  store: Pick<Store, 'durable'>;
  clock: Pick<Clock, 'now'>;
  logger: Logger;
}

/** A row as the domain knows it. */
export function brownoutOf({ id, client_id, rehearses, starts_at, ends_at, text }: BrownoutRow): Brownout {
  return { id, clientId: client_id ?? undefined, rehearses, startsAt: starts_at, endsAt: ends_at, text };
}

async function readLifecycle({ store: { durable }, clock }: Parts): Promise<Lifecycle> {
  const [dates, extended, exempt, brownouts] = await Promise.all([
    readDates(durable),
    readExtensions(durable),
    readExemptions(durable),
    readBrownouts(durable, clock.now()),
  ]);
  const extensions = new Map<string, Partial<Record<Milestone, number>>>();
  for (const { client_id, name, until } of extended)
    extensions.set(client_id, { ...extensions.get(client_id), [name]: until });
  return {
    dates: Object.fromEntries(dates.flatMap(({ name, at }) => (at === null ? [] : [[name, at]]))),
    extensions,
    exemptions: new Map(exempt.map(({ client_id, until }) => [client_id, until])),
    brownouts: brownouts.map(brownoutOf),
  };
}

/** Reads it once, then every second. */
export async function watchLifecycle(parts: Parts): Promise<LifecycleWatch> {
  let known = await readLifecycle(parts);
  const reading = createNextRun(async () => {
    known = await readLifecycle(parts);
  });
  const refresh = tolerant(
    { logger: parts.logger, message: 'the dates cannot be read, the last ones count', firstRest: SECOND },
    reading.begin,
  );
  const timer = setInterval(() => void refresh(), READ_EVERY);
  timer.unref();
  return { current: () => known, refresh: reading.begin, stop: () => clearInterval(timer) };
}
