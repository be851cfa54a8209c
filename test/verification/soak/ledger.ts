import type { Violation } from '../shared/checker/checker.ts';
import type { Call } from '../shared/checker/history.ts';

/** What a soak has recorded so far, beside what its machines and its network write down. */
export interface Ledger {
  /** For the checker of the crash campaign. */
  calls: Call[];
  /** Calls of other kinds that got no whole answer. */
  unanswered: UnansweredCall[];
  /** Those that waited for longer than a caller may. */
  slow: Array<Omit<UnansweredCall, 'failure'>>;
  /** While something was wrong by the soak's own will. */
  troubles: Trouble[];
  violations: Violation[];
  /** How often what happened, by words. */
  counts: Map<string, number>;
  count(what: string, by?: number): void;
  complain(invariant: string, text: string): void;
}

type UnansweredCall = Pick<Call, 'process' | 'startedAt' | 'endedAt' | 'stood'> & {
  failure: string;
  what: string;
};

interface Trouble {
  what: string;
  from: number;
  until: number;
}

/** More of one kind would say nothing new. */
const ENOUGH_OF_A_KIND = 20;

/** An empty ledger; `say` is told of what is wrong as soon as that is seen. */
export function openLedger(say: (text: string) => void): Ledger {
  const ledger: Ledger = {
    calls: [],
    unanswered: [],
    slow: [],
    troubles: [],
    violations: [],
    counts: new Map(),
    count: (what, by = 1) => void ledger.counts.set(what, (ledger.counts.get(what) ?? 0) + by),
    complain(invariant, text) {
      const same = ledger.violations.filter((one) => one.invariant === invariant);
      if (same.some((one) => one.text === text)) return;
      ledger.violations.push({ invariant, text });
      if (same.length < ENOUGH_OF_A_KIND) say(`${invariant}: ${text}`);
    },
  };
  return ledger;
}

/** The answers to old calls alone: `read header 200` and the like. */
export function countCall(ledger: Ledger, what: string, call: { status?: number; failure?: string }): void {
  ledger.count(`call: ${what} ${call.status ?? 'without an answer'}`);
}
