import {
  type CallSummary,
  carrierWords,
  endpointsElsewhere,
  programWords,
} from '../../../domain/usage/calls-of.ts';
import type { Milestone } from '../../../domain/lifecycle/lifecycle.ts';
import type { Rehearsal } from '../../../domain/lifecycle/changes/rehearse.ts';
import { MINUTE, SECOND } from '../../../shared/lifetimes.ts';
import type { DateLine } from '../../wording/dates/lines.ts';
import { counted } from '../../wording/words.ts';

/** A rehearsal and the calls that failed in it, for the owner of the app. */

/** How often the page reloads while a rehearsal runs. */
const LOOK_EVERY = 10;

/** The counts of other processes arrive within this time after the end. */
const SETTLED_AFTER = 12 * SECOND;

/** `4 minutes 12 seconds`, never less than a second. */
function lengthWords(length: number): string {
  const seconds = Math.max(1, Math.ceil(length / SECOND));
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  const parts = [minutes > 0 && counted(minutes, 'minute'), rest > 0 && counted(rest, 'second')];
  return parts.filter(Boolean).join(' ');
}

/** Whether the rehearsal was ended before it began, and so met no call. */
function isTakenBack({ startsAt, endsAt, failed }: Rehearsal): boolean {
  return endsAt <= startsAt && (failed?.calls ?? 0) === 0;
}

/**
 * After how many seconds the page has something new: the next calls, or the end. Undefined when all calls are known.
 */
export function reloadAfter(rehearsal: Rehearsal, now: number): number | undefined {
  const { endsAt } = rehearsal;
  if (now >= endsAt + SETTLED_AFTER || isTakenBack(rehearsal)) return undefined;
  const left = Math.ceil(Math.max(endsAt - now, 0) / SECOND);
  return left > 0 ? Math.min(LOOK_EVERY, left + 1) : LOOK_EVERY;
}

const NAMES: Record<Milestone, string> = { retirement: 'Retirement', sunset: 'Sunset' };

type CallKinds = CallSummary['kinds'];

function callLine({ endpoint, carrier, user_agent, calls, last_at }: CallKinds[number]) {
  return {
    endpoint,
    carrier: carrierWords(carrier),
    program: programWords(user_agent),
    calls,
    lastAt: last_at,
  };
}

interface ShownRehearsal {
  /** `settling`: over, but the last calls may not be counted yet. `taken back`: ended before it began. */
  state: 'starting' | 'running' | 'settling' | 'over' | 'taken back';
  rehearses: Milestone;
  name: string;
  startsAt: number;
  endsAt: number;
  left: string;
  /** How many calls failed; `calls` says the same in words, such as `7 calls`. */
  total: number;
  calls: string;
  /** Whether the counts of this time may have been lost. */
  isPartial: boolean;
  lines: Array<ReturnType<typeof callLine>>;
  /** The endpoints whose failed calls cannot be mended by connecting. */
  elsewhere: string[];
  /** When the rehearsed date comes; undefined where the date has passed or is not set. */
  dateAt: number | undefined;
  /** The date that has passed since. After the sunset only the sunset counts. */
  came: { milestone: Milestone; at: number } | undefined;
}

function stateOf(rehearsal: Rehearsal, now: number): ShownRehearsal['state'] {
  const { startsAt, endsAt } = rehearsal;
  if (isTakenBack(rehearsal)) return 'taken back';
  if (now < startsAt && startsAt < endsAt) return 'starting';
  if (now < endsAt) return 'running';
  return now < endsAt + SETTLED_AFTER ? 'settling' : 'over';
}

/** The rehearsal that runs, or else the last rehearsal. */
export function shownRehearsal(
  rehearsal: Rehearsal,
  {
    kinds,
    isCut,
    lines,
    now,
  }: Pick<CallSummary, 'kinds' | 'isCut'> & { lines: readonly DateLine[]; now: number },
): ShownRehearsal {
  const { rehearses, startsAt, endsAt, isPartial } = rehearsal;
  const total = kinds.reduce((sum, { calls }) => sum + calls, 0);
  const line = lines.find(({ milestone }) => milestone === rehearses);
  const came = [lines.find(({ milestone }) => milestone === 'sunset'), line].find((one) => one?.isPast);
  return {
    state: stateOf(rehearsal, now),
    rehearses,
    name: NAMES[rehearses],
    startsAt,
    endsAt,
    left: lengthWords(endsAt - now),
    total,
    // Very many kinds of calls are cut off, so the total may be higher.
    isPartial,
    calls: `${isCut || isPartial ? 'at least ' : ''}${counted(total, 'call')}`,
    lines: kinds.map(callLine),
    elsewhere: endpointsElsewhere(kinds),
    dateAt: line?.isPast ? undefined : line?.at,
    came: came && { milestone: came.milestone, at: came.at },
  };
}

/** An earlier rehearsal in one line. */
export function pastLine(rehearsal: Rehearsal) {
  const { startsAt, endsAt, rehearses, failed, isPartial } = rehearsal;
  const calls = failed?.calls ?? 0;
  const [none, atLeast] = isPartial ? ['No failed call is known', 'at least '] : ['No call failed', ''];
  return {
    startsAt,
    name: NAMES[rehearses],
    lasted: isTakenBack(rehearsal)
      ? 'ended before it began'
      : lengthWords(Math.min(endsAt - startsAt, 60 * MINUTE)),
    outcome: calls === 0 ? none : `${atLeast}${counted(calls, 'call')} failed`,
  };
}
