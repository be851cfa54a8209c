import { createDraw, DRAWN_IN_A_SECOND } from '../../src/shared/trace/draw-requests.ts';
import type { TraceContext } from '../../src/shared/trace/trace-context.ts';
import { PARENT_ID, TRACE_ID } from './support/heard-door.ts';

/** Which requests are recorded. */

const brought = (isSampled: boolean): TraceContext => ({
  traceId: TRACE_ID,
  parentId: PARENT_ID,
  isSampled,
  isRecorded: false,
  state: undefined,
});

function setUp(ratio: number) {
  const at = { ms: 0, chance: 0 };
  const isDrawn = createDraw({ ratio, chance: () => at.chance, elapsed: () => at.ms });
  return { at, isDrawn };
}

test('a request without a trace is drawn by lot, once', () => {
  const { at, isDrawn } = setUp(0.25);
  const [first, second] = [{}, {}];
  at.chance = 0.2;
  expect(isDrawn(first)).toBe(true);
  at.chance = 0.3;
  expect([isDrawn(first), isDrawn(second)]).toEqual([true, false]);
});

test('a trace is recorded as its caller records it, whatever the lot says', () => {
  const { isDrawn } = setUp(1);
  expect(isDrawn({}, brought(false))).toBe(false);
  expect(setUp(0).isDrawn({}, brought(true))).toBe(true);
});

test('row F163 however many callers ask for it, no more are recorded in a second than there is room for', () => {
  const { at, isDrawn } = setUp(0);
  const drawn = () => Array.from({ length: 1000 }, () => isDrawn({}, brought(true))).filter(Boolean).length;
  expect(drawn()).toBe(DRAWN_IN_A_SECOND);
  at.ms = 999;
  expect(drawn()).toBe(0);
  at.ms = 1000;
  expect(drawn()).toBe(DRAWN_IN_A_SECOND);
});
