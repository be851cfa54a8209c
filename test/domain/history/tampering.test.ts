import { anchorHistory } from '../../../src/domain/history/anchor-history.ts';
import { sealHistory } from '../../../src/domain/history/seal-history.ts';
import type { Event } from '../../../src/store/tables/tables.ts';
import { modeDatabases } from '../../support/jest/test-mode.ts';
import { type History, openHistory } from '../support/histories.ts';
import { cases, idAt, LENGTH, type Tamper } from '../support/tamperings.ts';

/** Each way to change a history past the bridge is named with the first entry that it touched. */

describe.each(modeDatabases)('on %s', (kind) => {
  let history: History;
  let sound: Event[];
  let anchors: string[];

  beforeAll(async () => {
    history = await openHistory(kind);
    await history.overwrite([]);
    await history.record(1, LENGTH);
    const rows = await history.rows();
    await history.overwrite(rows.map((row, index) => ({ ...row, id: idAt(index + 1) })));
    await sealHistory(history.context);
    await anchorHistory(history.context);
    sound = await history.rows();
    anchors = history.anchorLines();
  });

  afterEach(() => history.overwrite(sound));
  afterAll(() => history.close());

  const found = async (tamper: Tamper, lines: readonly string[]) => {
    await history.overwrite(tamper(sound));
    const { finding } = await history.verify(lines);
    return finding;
  };

  test('a history that nobody touched is whole', async () => {
    expect(sound.map(({ id, position }) => [id, position])).toEqual(
      Array.from({ length: LENGTH }, (_, index) => [idAt(index + 1), index + 1]),
    );
    expect(await history.verify(anchors)).toMatchObject({
      entries: LENGTH,
      waiting: 0,
      anchors: 1,
      finding: undefined,
    });
  });

  test.each(cases)('with an anchor: %s', async (_what, tamper, named) => {
    expect(await found(tamper, anchors)).toMatchObject(named);
  });

  test.each(cases)('without an anchor: %s', async (_what, tamper, named) => {
    expect(await found(tamper, [])).toMatchObject(named);
  });
});
