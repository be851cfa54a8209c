import { EventEmitter } from 'node:events';
import CircuitBreaker from 'opossum';
import { BREAKER_PROBES_AFTER, SILENT_ALONE_AFTER, SILENT_AFTER } from '../shared/lifetimes.ts';
import { settleWith } from '../shared/and-then.ts';
import { NotSent } from './outcomes.ts';

/**
 * One breaker of one process before calls to one server that may be made at any time without harm
 * (docs/decisions/0025). `opossum` keeps the state and its timer, and lets one call through while half-open. When the
 * breaker opens is decided here, because only consecutive failures and silence show that a server is away.
 */

/** The call was refused at once, because the server does not answer at present. Nothing was sent. */
export class BreakerOpen extends NotSent {
  constructor() {
    super('the new API takes too long: the breaker is open', { retryAfter: 1000 });
  }
}

/** One for all callers: it says nothing of its call, and to note where each one is made takes 6 % of a last known answer. */
export const BREAKER_OPEN = Object.freeze(new BreakerOpen());

/** A call through a breaker. */
export interface GuardedCall<Answer> {
  /** Whose call it is. Failures of one account alone show nothing about the server. */
  of: string;
  send: () => Promise<Answer>;
  /** Sent even while the breaker is open. */
  isUrgent?: boolean;
}

export interface Breaker<Answer> {
  /** Whether calls are refused; also true while a single call finds out whether the server answers again. */
  isOpen(): boolean;
  /** For how long the breaker has waited for a call that finds out whether the server answers; undefined otherwise. */
  waitsForProbe(): number | undefined;
  /** How often the breaker has opened. */
  openings(): number;
  /** Whether a call would be refused at once. */
  refuses(): boolean;
  /** @throws {BreakerOpen} a call would be refused at once */
  check(): void;
  /** Makes a call, unless the breaker is open. The call has its own limit of time. @throws {BreakerOpen} */
  run(call: GuardedCall<Answer>): Promise<Answer>;
  /** The result of work that goes on in any case. @throws {BreakerOpen} as soon as the breaker is open */
  whileClosed<Result>(work: Promise<Result>): Promise<Result>;
}

interface BreakerRules<Answer> {
  /** Whether an answer shows a fault of the server. */
  isFault: (answer: Answer) => boolean;
  /** Called when the breaker opens, and when it closes again. */
  tell: (isOpen: boolean) => void;
}

/** So many accounts in a row without an answer between them show that the server is away. */
const ACCOUNTS_FAILED = 3;

/** `opossum` keeps a number for each call of a bucket, and ten buckets. */
const CALLS_IN_BUCKET = 1000;

/**
 * The statistics of `opossum` are not used, so no share of failures opens the breaker. They rotate by calls instead of by a
 * timer: without rotation they would grow with every call.
 */
function unusedStatistics() {
  const buckets = new EventEmitter();
  let calls = 0;
  return {
    options: {
      rotateBucketController: buckets,
      rollingPercentilesEnabled: false,
      enableSnapshots: false,
      errorThresholdPercentage: Number.POSITIVE_INFINITY,
    },
    count: (): void => {
      calls += 1;
      if (calls % CALLS_IN_BUCKET === 0) buckets.emit('rotate');
    },
  };
}

interface CallStart {
  of: string;
  begun: number;
}

type Observe = () => Promise<unknown>;

const codeOf = (error: unknown) => (error as { code?: string }).code;

/** When the breaker opens: failures of several accounts, or silence, with no answer in between. */
function createEvidence() {
  const failed = new Set<string>();
  let answeredAt = Number.NEGATIVE_INFINITY;
  const isSilentSince = (begun: number) => answeredAt <= begun;
  return {
    isSilentSince,
    answered() {
      answeredAt = performance.now();
      failed.clear();
    },
    /** Whether the failures suffice. */
    isEnough({ of }: CallStart): boolean {
      failed.add(of);
      return failed.size >= ACCOUNTS_FAILED;
    },
  };
}

type Evidence = ReturnType<typeof createEvidence>;

/** A call that waits long is no failure when others were answered meanwhile: the server is only slow. */
function createCircuit(evidence: Evidence) {
  const { options, count } = unusedStatistics();
  const circuit = new CircuitBreaker<[Observe, CallStart]>((observe) => observe(), {
    ...options,
    timeout: SILENT_AFTER,
    resetTimeout: BREAKER_PROBES_AFTER,
  });
  circuit.on('failure', (error, _latency, [, start]) => {
    const isSlow = codeOf(error) === 'ETIMEDOUT' && !evidence.isSilentSince(start.begun);
    if (!isSlow && evidence.isEnough(start)) circuit.open();
  });
  circuit.on('fire', count);
  return circuit;
}

type Circuit = ReturnType<typeof createCircuit>;

/** Tells each change once, whatever probes fail in between. */
function onChange(circuit: Circuit, change: (isOpen: boolean) => void): void {
  let isOpen = false;
  const become = (next: boolean) => {
    if (next !== isOpen) change((isOpen = next));
  };
  circuit.on('open', () => become(true));
  circuit.on('close', () => become(false));
}

/** Lets a late answer close the breaker, and silence open it. */
function createObserver<Answer>(
  circuit: Circuit,
  evidence: Evidence,
  isFault: (answer: Answer) => boolean,
): (sent: Promise<Answer>, begun: number) => Promise<void> {
  function judge(answer: Answer): void {
    if (isFault(answer)) throw new Error('the server answered with a fault');
    evidence.answered();
    // An answer that comes late, to a call from before, shows the same as the answer to a probe.
    circuit.close();
  }
  return async (sent, begun) => {
    const alone = setTimeout(() => {
      if (evidence.isSilentSince(begun)) circuit.open();
    }, SILENT_ALONE_AFTER);
    try {
      judge(await sent);
    } finally {
      clearTimeout(alone);
    }
  };
}

/** Refuses what waits as soon as the breaker opens, and counts the openings. */
function createRefusals(circuit: Circuit) {
  const refusals = new Set<() => void>();
  let openings = 0;
  circuit.on('open', () => {
    openings += 1;
    for (const refuse of refusals) refuse();
  });
  return {
    openings: () => openings,
    whileClosed: <Result>(work: Promise<Result>): Promise<Result> =>
      new Promise((resolve, reject) => {
        const refuse = () => reject(BREAKER_OPEN);
        refusals.add(refuse);
        settleWith(work, { resolve, reject }, () => refusals.delete(refuse));
        if (!circuit.closed) refuse();
      }),
  };
}

/** A closed breaker. */
export function createBreaker<Answer>({ isFault, tell }: BreakerRules<Answer>): Breaker<Answer> {
  const evidence = createEvidence();
  const circuit = createCircuit(evidence);
  const observe = createObserver(circuit, evidence, isFault);
  let halfOpenAt = 0;
  circuit.on('halfOpen', () => (halfOpenAt = performance.now()));
  onChange(circuit, tell);
  const refuses = () => !circuit.closed && !circuit.pendingClose;
  return {
    ...createRefusals(circuit),
    isOpen: () => !circuit.closed,
    refuses,
    waitsForProbe: () => (circuit.pendingClose ? performance.now() - halfOpenAt : undefined),
    check() {
      if (refuses()) throw BREAKER_OPEN;
    },
    run: ({ of, send, isUrgent = false }) =>
      new Promise((resolve, reject) => {
        const begun = performance.now();
        const begin = () => {
          const sent = send();
          // The caller gets the outcome itself, however late. The breaker judges it meanwhile.
          sent.then(resolve, reject);
          return observe(sent, begun);
        };
        const isPast = isUrgent && !circuit.closed;
        const judged = isPast ? begin() : circuit.fire(begin, { of, begun });
        judged.catch((error: unknown) => {
          if (codeOf(error) === 'EOPENBREAKER') reject(BREAKER_OPEN);
        });
      }),
  };
}
