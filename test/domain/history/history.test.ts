import { setImmediate } from 'node:timers/promises';
import { sealHistory, startSealing } from '../../../src/domain/history/seal-history.ts';
import { allEvents, insertEvents, oldestUnchained, readHead } from '../../../src/store/history/events.ts';
import { databaseKinds } from '../../store/support/stores.ts';
import { until } from '../../support/servers/held-answer.ts';
import { change, type History, openPair, upTo } from '../support/histories.ts';

/** The history is chained by whoever comes first, and proven by its chain. */

/** Seals although another does, as after a pause beyond the lease. */
function past({ context }: History): Promise<void> {
  return sealHistory({ ...context, processId: 'one holder for both' });
}

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

  const positions = async () => (await one.rows()).map((row) => row.position);

  /** An entry as a version without witnesses wrote it. */
  const recordOld = async (n: number) => {
    const { at, actor, action, reason } = change(n);
    await insertEvents(one.db, [{ at, actor, action, reason }]);
  };

  test('an empty history is whole', async () => {
    await one.sealAndAnchor();
    expect(await one.verify()).toEqual({
      entries: 0,
      waiting: 0,
      anchors: 0,
      newestAnchor: undefined,
      finding: undefined,
    });
  });

  test('the oldest entry that waits is told, and none that the chain has passed over', async () => {
    expect(await oldestUnchained(one.db)).toBeUndefined();
    for (const n of upTo(2)) await one.record(n);
    expect(await oldestUnchained(one.db)).toBe(change(1).at);
    await one.sealAndAnchor();
    expect(await oldestUnchained(one.db)).toBeUndefined();
    await recordOld(3);
    expect(await oldestUnchained(one.db)).toBe(change(3).at);
    await one.record(4);
    await one.sealAndAnchor();
    expect(await positions()).toEqual([1, 2, 3, null]);
    expect(await oldestUnchained(one.db)).toBeUndefined();
    await one.record(5);
    expect(await oldestUnchained(one.db)).toBe(change(5).at);
  });

  test('texts that no database keeps as they are do not make an entry look forged', async () => {
    await one.record(1, 1, { accountId: 'a\0b', reason: 'half \ud83d of a sign', actor: '\udc00' });
    await one.record(2, 2, { reason: 'whole \u{1F600}, \r\n and \u{FFFD}' });
    await one.sealAndAnchor();
    expect(await positions()).toEqual([1, 2]);
    expect((await one.verify()).finding).toBeUndefined();
  });

  test('every entry is chained within a second while the bridge runs, and at its stop', async () => {
    const stop = startSealing(one.context);
    const times: number[] = [];
    for (const n of upTo(3)) {
      const begun = performance.now();
      await one.record(n);
      await until(async () => (await positions()).every((position) => position !== null));
      times.push(performance.now() - begun);
    }
    // A busy machine does not decide: one of them shows it.
    expect(Math.min(...times)).toBeLessThan(1000);
    await one.record(4);
    await stop();
    expect(await positions()).toEqual([1, 2, 3, 4]);
    expect(await one.verify(one.anchorLines())).toMatchObject({ entries: 4, waiting: 0, finding: undefined });
    expect(one.anchorLines().at(-1)).toContain('"position":4,');
  });

  test('entries that wait are the bridge’s own, and are counted', async () => {
    await one.record(1, 3);
    expect(await one.verify()).toMatchObject({ entries: 0, waiting: 3, finding: undefined });
    await sealHistory(one.context);
    await one.record(4);
    expect(await one.verify()).toMatchObject({ entries: 3, waiting: 1, finding: undefined });
  });

  test('two sealers at once, past the lease, and writers beside them: one chain, and no error', async () => {
    for (let round = 0; round < 10; round += 1) {
      const from = round * 20;
      const steps = [
        () => one.record(from + 1, from + 10),
        () => past(one),
        () => two.record(from + 11, from + 20),
        () => past(two),
        () => past(one),
      ];
      // Two connections to SQLite in one process would wait for each other; test/processes races them there.
      if (kind === 'postgres') await Promise.all(steps.map((step) => step()));
      else for (const step of steps) await step();
    }
    await sealHistory(two.context);
    expect(await positions()).toEqual(upTo(200));
    expect(await two.verify()).toMatchObject({ entries: 200, waiting: 0, finding: undefined });
    expect([...one.alarms(), ...two.alarms()]).toEqual([]);
  });

  test('an entry that becomes visible after a later one is chained behind it', async () => {
    await one.record(1, 3);
    const rows = await one.rows();
    await one.overwrite(rows.slice(1));
    await sealHistory(one.context);
    await one.db.insertInto('events').values(rows.slice(0, 1)).execute();
    await sealHistory(one.context);
    expect((await one.rows()).map(({ id }) => id)).toEqual([rows[1], rows[2], rows[0]].map((row) => row?.id));
    expect(await one.verify()).toMatchObject({ entries: 3, finding: undefined });
  });

  test('an entry that the bridge did not write is left out, named once, and the others go on', async () => {
    await one.record(1, 2);
    const [first] = await one.rows();
    if (!first) throw new Error('two were written');
    await one.db
      .insertInto('events')
      .values({ ...first, id: first.id + 50, uid: 'f'.repeat(24) })
      .execute();
    await one.record(3);
    const refused = new Set<number>();
    await sealHistory(one.context, refused);
    await sealHistory(one.context, refused);
    const rows = await one.rows();
    expect(rows.map(({ position }) => position)).toEqual([1, 2, 3, null]);
    expect(one.alarms()).toHaveLength(1);
    expect(JSON.parse(one.alarms()[0] ?? '')).toMatchObject({ level: 'error', entry: first.id + 50 });
    expect((await one.verify()).finding).toMatchObject({
      kind: 'inserted',
      position: null,
      id: first.id + 50,
    });
  });

  test('entries of a version without witnesses are adopted once, as a whole, and never again', async () => {
    for (const n of upTo(3)) await recordOld(n);
    await one.record(4);
    expect(await one.verify()).toMatchObject({ waiting: 4, finding: undefined });
    await sealHistory(one.context);
    expect(await one.verify()).toMatchObject({ entries: 4, waiting: 0, finding: undefined });
    expect(one.alarms()).toEqual([]);
    await recordOld(5);
    await one.record(6);
    await sealHistory(one.context);
    expect(one.alarms()).toHaveLength(1);
    const verdict = await one.verify();
    expect(verdict).toMatchObject({ entries: 5, finding: { kind: 'inserted', position: null } });
  });

  test('more than a page of old entries is adopted in one step', async () => {
    const old = upTo(1201).map((n) => ({ at: n, actor: 'old', action: 'old', reason: `old ${n}` }));
    await insertEvents(one.db, old);
    await sealHistory(one.context);
    expect(await one.verify()).toMatchObject({ entries: 1201, waiting: 0, finding: undefined });
    expect(one.alarms()).toEqual([]);
  });

  test('only so many pages are one step as old entries need: what follows them holds up no writer', async () => {
    await insertEvents(one.db, [{ at: 1, actor: 'old', action: 'old', reason: 'old' }]);
    await one.record(1, 1500);
    const sealing = sealHistory(one.context);
    const seen = new Set<number>();
    for (let chained = 0; chained < 1501; seen.add(chained)) {
      chained = (await readHead(one.db))?.position ?? 0;
      await setImmediate();
    }
    await sealing;
    expect([...seen].filter((chained) => chained > 0 && chained < 1501)).not.toEqual([]);
    expect(await one.verify()).toMatchObject({ entries: 1501, waiting: 0, finding: undefined });
  });

  test('a history that was emptied adopts nothing while an anchor tells of it', async () => {
    await one.record(1, 2);
    await one.sealAndAnchor();
    await one.overwrite([]);
    await recordOld(1);
    await sealHistory(one.context);
    expect(await positions()).toEqual([null]);
    expect((await one.verify(one.anchorLines())).finding).toMatchObject({ kind: 'cut', id: null });
  });

  test('changes to entries without a witness are named as those of others are', async () => {
    for (const n of upTo(6)) await recordOld(n);
    await sealHistory(one.context);
    const rows = await one.rows();
    const findingAfter = async (order: number[], reasonOfThird?: string) => {
      const changed = order.map((n, index) => {
        const row = rows[n - 1];
        if (!row) throw new Error('there are six');
        return { ...row, position: index + 1, ...(n === 3 && reasonOfThird && { reason: reasonOfThird }) };
      });
      await one.overwrite(changed);
      const { finding } = await one.verify();
      return [finding?.kind, finding?.position];
    };
    expect(await findingAfter([1, 2, 3, 4, 5, 6], 'changed')).toEqual(['edited', 3]);
    expect(await findingAfter([1, 2, 4, 3, 5, 6])).toEqual(['swapped', 3]);
    expect(await findingAfter([1, 2, 5, 4, 3, 6])).toEqual(['swapped', 3]);
    expect(await findingAfter([1, 2, 4, 5, 6])).toEqual(['missing', 3]);
    expect(await findingAfter([1, 2, 3, 4, 5, 6])).toEqual([undefined, undefined]);
  });

  test('what is chained while all entries are read is read once', async () => {
    await one.record(1, 3);
    await sealHistory(one.context);
    await one.record(4, 5);
    let answers = 0;
    // Between the end of the chain and the look at what waits.
    const sealedMeanwhile = one.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        answers += 1;
        if (answers === 2) await sealHistory(two.context);
        return result;
      },
    });
    const read: number[] = [];
    for await (const { at } of allEvents(sealedMeanwhile)) read.push(at);
    expect(read).toEqual(upTo(5).map((n) => change(n).at));
  });

  test('five thousand entries are chained and proven soon', async () => {
    await one.record(1, 5000);
    const begun = performance.now();
    await one.sealAndAnchor();
    expect(await one.verify(one.anchorLines())).toMatchObject({ entries: 5000, finding: undefined });
    expect(performance.now() - begun).toBeLessThan(30_000);
  });
});
