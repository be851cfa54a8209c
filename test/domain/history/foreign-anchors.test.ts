import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSealing } from '../../../src/domain/history/seal-history.ts';
import { type History, openHistory } from '../support/histories.ts';

/**
 * The anchors of a machine are those of one history. A copy has other entries at the same positions, and its anchors
 * would say that the history of the original was changed.
 */

let history: History;

beforeEach(async () => {
  history = await openHistory('sqlite');
  await history.overwrite([]);
});
afterEach(() => history.close());

const NO_ANCHOR = 'this history gets no anchor';
const timesTold = () => history.log.filter((line) => line.includes(NO_ANCHOR)).length;

/** One more entry, while a bridge chains and anchors. The second turn and the stop would anchor. */
async function serve(n: number): Promise<number> {
  const stop = startSealing(history.context);
  await history.record(n);
  await stop();
  return history.anchorLines().length;
}

test('a bridge writes no anchor into the VAR_DIR of another database, and says so once', async () => {
  expect(await serve(1)).toBe(1);
  const memory = join(history.varDir, 'epoch.json');
  const own = readFileSync(memory, 'utf8');
  writeFileSync(join(history.varDir, 'production.db'), '');
  writeFileSync(memory, JSON.stringify({ ...JSON.parse(own), database: 'sqlite:production.db' }));
  expect([await serve(2), timesTold()]).toEqual([1, 1]);

  writeFileSync(memory, own);
  expect([await serve(3), timesTold()]).toEqual([2, 1]);
});

test('a copy writes no anchor, also where its file took the place of the original', async () => {
  expect(await serve(1)).toBe(1);
  const mark = (state: 'copy' | 'original') => history.db.updateTable('instance').set({ state }).execute();
  await mark('copy');
  await history.context.instance.look();
  expect([await serve(2), timesTold()]).toEqual([1, 1]);

  await mark('original');
  await history.context.instance.look();
  expect(await serve(3)).toBe(2);
});
