import { setTimeout as delay } from 'node:timers/promises';
import type { System } from '../../../support/bridge/system.ts';
import { read } from '../../../support/callers/legacy-calls.ts';

/** Callers that read all the time, each with a token of its own, whatever they are answered. */
export interface SteadyCallers {
  /** Every answer by its status, and what had no `Retry-After` although it should, or no answer at all. */
  statuses: Map<number, number>;
  faults: string[];
  /** Resolves once each caller has been served anew. */
  untilAllServed(): Promise<void>;
  end(): Promise<void>;
}

const PAUSE = 20;

/** How long a caller of the old API may have to wait at most, with what a busy machine adds. */
const PATIENCE = 20_000;

/** Starts the callers. */
export function startCallers(system: System, tokens: readonly string[]): SteadyCallers {
  const ended = new AbortController();
  const served = new Map<string, number>();
  const callers: SteadyCallers = {
    statuses: new Map(),
    faults: [],
    async untilAllServed() {
      const since = performance.now();
      while (tokens.some((token) => (served.get(token) ?? 0) < since)) await delay(PAUSE);
    },
    async end() {
      ended.abort();
      await Promise.all(running);
    },
  };
  const call = async (token: string) => {
    const begun = performance.now();
    try {
      const { status, headers, text } = await read(system, '/1/profiles.json', token);
      callers.statuses.set(status, (callers.statuses.get(status) ?? 0) + 1);
      if (status === 200) served.set(token, begun);
      else if (status !== 503 || !(Number(headers['retry-after']) > 0))
        callers.faults.push(`${status} ${text}`);
    } catch (error) {
      callers.faults.push(String(error));
    }
    if (performance.now() - begun > PATIENCE) callers.faults.push('a caller waited too long');
  };
  const running = tokens.map(async (token) => {
    while (!ended.signal.aborted) {
      await call(token);
      await delay(PAUSE);
    }
  });
  return callers;
}
