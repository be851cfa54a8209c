import { appendFileSync, statSync } from 'node:fs';
import type { Context } from '../../../src/domain/context.ts';
import { anchorHistory, markTakeOver } from '../../../src/domain/history/anchor-history.ts';
import { sealHistory, startSealing } from '../../../src/domain/history/seal-history.ts';
import { parseLine } from '../../../src/domain/history/anchor-lines.ts';
import { thinAnchors } from '../../../src/domain/history/thin-anchors.ts';
import { DAY, HOUR, MINUTE } from '../../../src/shared/lifetimes.ts';
import { createLogger } from '../../../src/shared/log/logger.ts';
import { databaseKinds } from '../../store/support/stores.ts';
import { logLines } from '../../support/bridge/log-lines.ts';
import { until } from '../../support/servers/held-answer.ts';
import { type History, openPair } from '../support/histories.ts';

/** The file of anchors does not grow for ever, and proves as much as before. */

const NOW = Date.parse('2026-06-20T12:30:00Z');
const HALF_LINE = '{"position":2,"chain":"k.a';

const named = (numbers: readonly number[]) => numbers.map((position) => `"position":${position}`);

describe.each(databaseKinds)('on %s', (kind) => {
  let one: History;
  let two: History;

  beforeEach(async () => {
    [one, two] = await openPair(kind);
  });

  afterEach(async () => {
    await one.close();
    await two.close();
  });

  const at = (ago: number, { context } = one): Context => {
    const { clock } = context;
    return { ...context, clock: { ...clock, elapsed: () => clock.elapsed(), now: () => NOW - ago } };
  };
  const anchorAt = async (...times: number[]) => {
    for (const ago of times) {
      await one.record(1);
      await sealHistory(one.context);
      await anchorHistory(at(ago));
    }
  };
  const cutBehind = async (position: number) =>
    one.overwrite((await one.rows()).filter((row) => Number(row.position) <= position));
  const positions = () =>
    one.anchorLines().map((line) => /"(?:position|takenOverAt)":\d+/.exec(line)?.[0] ?? line);

  test('a bridge keeps those of the last day, one an hour for a month and one a day before', async () => {
    const long = 40 * DAY;
    await anchorAt(long, long - HOUR, long - 2 * HOUR, long - DAY);
    await anchorAt(
      3 * DAY,
      3 * DAY - MINUTE,
      3 * DAY - 2 * MINUTE,
      3 * DAY - HOUR,
      2 * DAY,
      2 * DAY - MINUTE,
    );
    await anchorAt(23 * HOUR, 23 * HOUR - MINUTE, MINUTE);
    const stop = startSealing(at(0));
    await until(() => one.anchorLines().length < 13);
    await stop();
    const kept = named([3, 4, 7, 8, 10, 11, 12, 13]);
    expect(positions()).toEqual(kept);
    expect(statSync(one.context.anchorsFile).mode & 0o777).toBe(0o600);
    expect(await one.verify(one.anchorLines())).toMatchObject({ anchors: 8, finding: undefined });

    const { ino } = statSync(one.context.anchorsFile);
    await thinAnchors(at(0));
    expect(statSync(one.context.anchorsFile).ino).toBe(ino);
    await anchorHistory(at(0));
    expect(positions()).toEqual(kept);
    await cutBehind(9);
    expect((await one.verify(one.anchorLines())).finding).toMatchObject({ kind: 'cut', position: 9 });
  });

  test('what differs from the database stays, and so does what is no anchor', async () => {
    await anchorAt(3 * DAY, 3 * DAY - MINUTE, 3 * DAY - 2 * MINUTE);
    await markTakeOver(at(3 * DAY - 3 * MINUTE));
    // Half a line of a power cut, and one that is no anchor of this bridge.
    appendFileSync(one.context.anchorsFile, `${HALF_LINE}\n${HALF_LINE}"}\n`);
    await anchorAt(3 * DAY - 4 * MINUTE, 3 * DAY - 5 * MINUTE);
    await cutBehind(3);
    await anchorAt(3 * DAY - 6 * MINUTE, 3 * DAY - 7 * MINUTE, 3 * DAY - 8 * MINUTE, 3 * DAY - 9 * MINUTE);
    const before = await one.verify(one.anchorLines());
    expect(before.finding).toMatchObject({ kind: 'regrown', position: 4 });
    await thinAnchors(at(0, two));
    const lines = [...named([3]), '"takenOverAt":3', ...named([2, 2, 4, 5, 7])];
    expect(positions()).toEqual(lines);
    expect((await one.verify(one.anchorLines())).finding).toEqual(before.finding);
  });

  test('a take-over is told at the level at which commands write, and its line is a mark', async () => {
    const log = logLines();
    const logger = createLogger({ level: 'warn', name: 'command', stream: log.stream });
    await anchorAt(MINUTE);
    await markTakeOver({ ...at(0), logger });
    await until(() => log.lines().length > 0);
    expect(log.lines()).toEqual([expect.stringContaining('"history taken over"')]);
    expect(parseLine(log.lines()[0] ?? '')).toMatchObject({ takenOverAt: 1 });
  });

  test('a copy drops none', async () => {
    await anchorAt(3 * DAY, 3 * DAY - MINUTE);
    const instance = { isCopy: () => true, ownsFolder: () => true };
    await thinAnchors({ ...at(0), instance });
    expect(positions()).toEqual(named([1, 2]));
  });
});
