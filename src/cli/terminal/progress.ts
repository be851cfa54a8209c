import { SECOND } from '../../shared/lifetimes.ts';

/** How far long work is, on standard error: a bar on a terminal, else a line every few seconds where lines are wanted. */

const BAR_WIDTH = 30;
const BAR_EVERY = SECOND / 5;
const LINE_EVERY = 3 * SECOND;

/** A rate of the first moments says nothing about the rest. */
const RATE_KNOWN_AFTER = SECOND;

export interface ProgressState {
  /** How much of the whole is done, in any unit. Without a whole nobody knows how long it takes. */
  done: number;
  total?: number;
  /** The things that were done, for the rate. */
  things: number;
  words: string;
}

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 60 * MINUTE_SECONDS;

/** A duration in words of one unit: nobody knows it better. */
function timeLeft(seconds: number): string {
  if (seconds >= 2 * HOUR_SECONDS) return `about ${Math.round(seconds / HOUR_SECONDS)} hours left`;
  if (seconds >= 2 * MINUTE_SECONDS) return `about ${Math.round(seconds / MINUTE_SECONDS)} minutes left`;
  return `about ${Math.max(1, Math.round(seconds))} s left`;
}

/** The rate, and the time that is left at this rate. */
export function paceWords({ done, total, things }: ProgressState, elapsed: number): string {
  if (elapsed < RATE_KNOWN_AFTER || done === 0) return '';
  const rate = `, ${Math.round((things * SECOND) / elapsed)} a second`;
  return total === undefined || done >= total
    ? rate
    : `${rate}, ${timeLeft(((total - done) * elapsed) / done / SECOND)}`;
}

const shareOf = ({ done, total }: ProgressState) =>
  total === undefined ? undefined : total === 0 ? 1 : Math.min(done / total, 1);

function lineOf(state: ProgressState, elapsed: number): string {
  const share = shareOf(state);
  const percent = share === undefined ? '' : `${Math.floor(100 * share)} %  `;
  return `${percent}${state.words}${paceWords(state, elapsed)}`;
}

function barOf(state: ProgressState, elapsed: number): string {
  const share = shareOf(state);
  const full = Math.round(BAR_WIDTH * (share ?? 0));
  const bar = share === undefined ? '' : `[${'#'.repeat(full)}${'.'.repeat(BAR_WIDTH - full)}] `;
  return `${bar}${lineOf(state, elapsed)}`;
}

/** Takes away what stands in the line of the bar. */
const NEW_LINE = '\r\u001B[K';

/** A line that is longer than the terminal could not be written over. */
const cut = (line: string) => line.slice(0, (process.stderr.columns || 80) - 1);

export interface ProgressReport {
  /** Begins a step. Its name stands on the terminal until the step tells how far it is; some steps never can. */
  begin(step: string): void;
  tell(state: ProgressState): void;
  /** Takes the bar away. */
  end(): void;
}

/** Reports progress. `hasLines`: where standard error is no terminal, lines are wanted. */
export function createProgressReport(hasLines: boolean): ProgressReport {
  const { isTTY: isTerminal } = process.stderr;
  let beganAt = performance.now();
  let toldAt = beganAt;
  return {
    begin(step) {
      beganAt = performance.now();
      toldAt = beganAt;
      if (isTerminal) process.stderr.write(`${NEW_LINE}${cut(step)}`);
    },
    tell(state) {
      const now = performance.now();
      if (now - toldAt < (isTerminal ? BAR_EVERY : LINE_EVERY)) return;
      toldAt = now;
      if (isTerminal) process.stderr.write(`${NEW_LINE}${cut(barOf(state, now - beganAt))}`);
      else if (hasLines) process.stderr.write(`${lineOf(state, now - beganAt)}\n`);
    },
    end() {
      if (isTerminal) process.stderr.write(NEW_LINE);
    },
  };
}
