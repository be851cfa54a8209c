import { checkPresentations } from '../shared/checker/checker-presentations.ts';
import type { Violation } from '../shared/checker/checker.ts';
import { emptyRound, type Expiry, type Note, type RoundHistory } from '../shared/checker/history.ts';
import { eventsAfter, grantOf, grantsSince, mappingsOf, owedTokens } from '../shared/database.ts';
import type { Grant } from '../../../src/store/tables/tables.ts';
import { knownTokens } from './fleet.ts';
import type { SoakRun } from './run.ts';

/** What the checker of the crash campaign reads, as one long round. */

/** What is seen of a soak while it runs. */
export interface Recording {
  notes: Note[];
  /** Faultless expiries in the end. */
  calm: RoundHistory['calm'];
  expiries: Expiry[];
  unsettled: string[];
}

export const newRecording = (): Recording => ({ notes: [], calm: [], expiries: [], unsettled: [] });

/** Takes over what the processes have written down since the last time. */
export function readNotes({ ground }: Pick<SoakRun, 'ground'>, { notes }: Recording): void {
  for (const machine of ground.machines) for (const note of machine.newNotes()) notes.push(note);
}

/** Access tokens end by themselves: each so long after the request that it was the answer to. */
function naturalExpiries({ ground, options }: SoakRun, notes: readonly Note[]): Expiry[] {
  const life = options.pace.accessTokenSeconds * 1000;
  const born = new Map(ground.recorder.received.map(({ next, at }) => [next, at]));
  return notes.flatMap((note) => {
    const at = note.what === 'received' ? born.get(note.token) : undefined;
    return note.what === 'received' && at !== undefined ? [{ at: at + life, grantId: note.grantId }] : [];
  });
}

/** The history as it is by now, without the rows of the database. */
function historyOf(run: SoakRun, recording: Recording): RoundHistory {
  const { ground, ledger, options } = run;
  const { pace } = options;
  const { notes, calm, unsettled, expiries } = recording;
  return {
    ...emptyRound(),
    introspects: true,
    quiet: pace.quietSeconds * 1000,
    claimToWrite: pace.claimToWrite,
    presentations: [...ground.presentations],
    received: [...ground.recorder.received],
    calls: ledger.calls,
    notes,
    outages: ground.machines.flatMap(({ outages }) => outages),
    pauses: ground.machines.flatMap(({ pauses }) => pauses),
    expiries: [...naturalExpiries(run, notes), ...expiries],
    // there is always one: all apps of a person stand on one account
    withSibling: ['every grant'],
    upstreamTimeout: pace.upstreamTimeout,
    callerLimit: pace.callerLimit,
    calm,
    unsettled,
  };
}

/** The whole history, with the rows of the database at rest. */
export async function wholeHistory(
  run: SoakRun,
  recording: Recording,
  leaks: string[],
): Promise<RoundHistory> {
  const { context } = run.ground;
  return {
    ...historyOf(run, recording),
    grants: await grantsSince(context, 0),
    mappings: await mappingsOf(context, knownTokens(run.fleet)),
    events: await eventsAfter(context, 0),
    owed: await owedTokens(context),
    leaks,
  };
}

/** People ended the grant while it was refreshed: the pair that came back then is ended too, not stored. */
const isEndedBefore = ({ dead_cause: cause, dead_at: at }: Grant, keptAt: number) =>
  (cause === 'deauthorized' || cause === 'replaced') && at !== null && at <= keptAt;

/** A pair that a process calls kept stands in the database from then on. */
async function lostPairs({ ground }: SoakRun, kept: readonly Note[]): Promise<Violation[]> {
  const found: Violation[] = [];
  for (const note of kept) {
    if (note.what !== 'kept') continue;
    const row = await grantOf(ground.context, note.grantId);
    if (!row || row.version >= note.version || isEndedBefore(row, note.at)) continue;
    const text = `version ${note.version} of grant ${note.grantId} was kept and is not stored`;
    found.push({ invariant: 'answer lost', text });
  }
  return found;
}

/** What is wrong already while everything runs: a token that was presented outside the rule, a pair that is gone. */
export async function lookMeanwhile(run: SoakRun, recording: Recording): Promise<Violation[]> {
  const seen = recording.notes.length;
  readNotes(run, recording);
  const { violations } = checkPresentations(historyOf(run, recording));
  return [...violations, ...(await lostPairs(run, recording.notes.slice(seen)))];
}
