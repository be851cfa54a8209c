import { SECOND } from '../lifetimes.ts';
import type { TraceContext } from './trace-context.ts';
import type { TraceRecorder } from './tracing.ts';
import { Note } from '../memory/note.ts';

/**
 * Which requests are recorded. A caller may ask for it, and any caller can ask: so no more than these are recorded in a
 * second, whoever asks.
 */
export const DRAWN_IN_A_SECOND = 100;

interface DrawRule {
  /** The share of the requests without a trace of their own, 0 to 1. */
  ratio: number;
  chance: () => number;
  /** Monotonic, in milliseconds. */
  elapsed: () => number;
}

/** Draws each request once. */
export function createDraw({ ratio, chance, elapsed }: DrawRule): TraceRecorder['isDrawn'] {
  const drawn = new Note<object, boolean>();
  let second = 0;
  let used = 0;
  const hasRoom = () => {
    const now = Math.floor(elapsed() / SECOND);
    if (now !== second) used = 0;
    second = now;
    return used < DRAWN_IN_A_SECOND;
  };
  const draw = (brought: TraceContext | undefined) => {
    const isWanted = brought ? brought.isSampled : chance() < ratio;
    if (!isWanted || !hasRoom()) return false;
    used += 1;
    return true;
  };
  return (request, brought) => {
    const known = drawn.get(request);
    if (known !== undefined) return known;
    const isDrawn = draw(brought);
    drawn.set(request, isDrawn);
    return isDrawn;
  };
}
