import { appendFileSync, statSync, writeFileSync } from 'node:fs';
import { anchorHistory, markTakeOver } from '../../../src/domain/history/anchor-history.ts';
import { sealHistory, startSealing } from '../../../src/domain/history/seal-history.ts';
import { databaseKinds } from '../../store/support/stores.ts';
import { type History, openPair, upTo } from '../support/histories.ts';

/** What is kept outside the database shows what a chain alone cannot: an end that was cut off. */

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

  /** What the rows would be without the newest ones of the chain. */
  const cutBehind = async (position: number) =>
    one.overwrite((await one.rows()).filter((row) => Number(row.position) <= position));

  const positions = async () => (await one.rows()).map((row) => row.position);

  test('an anchor is written once for a position, for the owner’s eyes, and logged in a form that the log lets through', async () => {
    await one.record(1, 2);
    await one.sealAndAnchor();
    await anchorHistory(two.context);
    const [head] = (await one.rows()).slice(-1);
    expect(one.anchorLines()).toHaveLength(1);
    expect(JSON.parse(one.anchorLines()[0] ?? '')).toMatchObject({ position: 2, chain: head?.chain });
    expect(statSync(one.context.anchorsFile).mode & 0o777).toBe(0o600);
    const logged = one.log.filter((line) => line.includes('history anchor'));
    expect(logged).toHaveLength(1);
    expect(logged[0]).not.toContain('redacted');
    expect(await one.verify(['npm warn nothing', ...logged])).toMatchObject({
      anchors: 1,
      finding: undefined,
    });
    expect(two.log).toEqual([]);
  });

  test('a cut tail is named by its anchor, from the file and from the log', async () => {
    await one.record(1, 10);
    await one.sealAndAnchor();
    await cutBehind(8);
    const named = { kind: 'cut', position: 8, text: expect.stringContaining('position 10') };
    expect((await one.verify(one.anchorLines())).finding).toMatchObject(named);
    expect((await one.verify(one.log)).finding).toMatchObject(named);
    expect(await one.verify()).toMatchObject({ entries: 8, finding: undefined });
  });

  test('a tail that was cut and has grown again is named by its anchor', async () => {
    await one.record(1, 10);
    await one.sealAndAnchor();
    await cutBehind(8);
    const stop = startSealing(one.context);
    await one.record(11, 15);
    await stop();
    expect(await positions()).toEqual(upTo(13));
    const [, , row] = (await one.rows()).slice(7);
    for (const lines of [one.anchorLines(), one.log])
      expect((await one.verify(lines)).finding).toMatchObject({ kind: 'regrown', position: 10, id: row?.id });
  });

  test('an entry appended past the bridge is none of its own, though it looks like one', async () => {
    await one.record(1, 3);
    await one.sealAndAnchor();
    const [last] = (await one.rows()).slice(-1);
    if (!last) throw new Error('three were written');
    const made = last.chain?.replaceAll(/[a-m]/g, 'n') ?? '';
    const forged = { ...last, id: last.id + 1, uid: 'f'.repeat(24), position: 4, witness: made };
    await one.db
      .insertInto('events')
      .values({ ...forged, chain: made.replaceAll(/[A-M]/g, 'N') })
      .execute();
    const finding = { kind: 'inserted', position: 4, id: last.id + 1 };
    expect((await one.verify(one.anchorLines())).finding).toMatchObject(finding);
  });

  test.each([
    ['position', (line: string) => line.replace('"position":3', '"position":2')],
    ['chain', (line: string) => line.replace(/(?<="chain":"[^.]+\.)./, (sign) => (sign === 'A' ? 'B' : 'A'))],
    ['time', (line: string) => line.replace(/"at":"20/, '"at":"21')],
    ['witness', (line: string) => line.replace(/"witness":"/, '"witness":"x')],
    ['form', (line: string) => line.replace(/"witness":.*/, '"other":1}')],
    ['kind', (line: string) => line.replace(/"position"/, '"takenOverAt"')],
  ])('an anchor whose %s was edited is named by its line', async (_what, edit) => {
    await one.record(1, 3);
    await one.sealAndAnchor();
    await one.record(4);
    await one.sealAndAnchor();
    const [first = '', second = ''] = one.anchorLines();
    expect(edit(first)).not.toBe(first);
    const { finding, anchors } = await one.verify([edit(first), second]);
    expect(anchors).toBe(1);
    expect(finding).toMatchObject({ kind: 'anchor', text: expect.stringMatching(/^Line 1 of .*anchors/) });
  });

  test('an anchor of a history key that the key file lacks names the key and what to do', async () => {
    await one.record(1);
    await one.sealAndAnchor();
    const [first = ''] = one.anchorLines();
    const newer = first.replace(/"witness":"[^.]+\./, '"witness":"newer1.');
    const { finding } = await one.verify([newer]);
    expect(finding?.text).toMatch(
      / bears the history key newer1, which KEYS_FILE lacks\. .*both times.*move/,
    );
    const edited = first.replace(/"witness":"[^.]+\./, '"witness":"No such Key.');
    expect((await one.verify([edited])).finding?.text).toContain('it was edited');
  });

  test('half a line of a power cut spoils no later anchor and is no finding', async () => {
    await one.record(1);
    await one.sealAndAnchor();
    appendFileSync(one.context.anchorsFile, '{"position":2,"chain":"k.a');
    await one.record(2);
    await one.sealAndAnchor();
    const verdict = await one.verify(one.anchorLines());
    expect(verdict).toMatchObject({ anchors: 2, finding: undefined });
  });

  test('a forged last line does not keep the bridge from anchoring', async () => {
    await one.record(1);
    await sealHistory(one.context);
    writeFileSync(one.context.anchorsFile, '{"position":9000,"chain":"k.a","at":"2026","witness":"k.b"}\n');
    await anchorHistory(one.context);
    expect(one.anchorLines()).toHaveLength(2);
  });

  test('a copy that takes over goes on otherwise than its original, and later anchors hold again', async () => {
    await one.record(1, 5);
    await one.sealAndAnchor();
    await one.record(6, 9);
    await one.sealAndAnchor();
    const ofTheOriginal = one.anchorLines();
    await cutBehind(6);
    expect((await one.verify(ofTheOriginal)).finding?.kind).toBe('cut');
    const at = one.context.clock.now();
    await one.record(20, 20, { action: 'taken_over', actor: 'command', at });
    expect(await one.verify(ofTheOriginal)).toMatchObject({ anchors: 0, waiting: 1, finding: undefined });
    await markTakeOver(one.context);
    await one.record(21, 30, { at });
    await one.sealAndAnchor();
    expect(one.anchorLines().slice(2)).toEqual([
      expect.stringContaining('"takenOverAt":5,'),
      expect.stringContaining('"position":17,'),
    ]);
    expect(await one.verify(one.anchorLines())).toMatchObject({
      entries: 17,
      anchors: 2,
      finding: undefined,
    });
    expect(await one.verify(one.log)).toMatchObject({ anchors: 2, finding: undefined });
    // Another machine's file does not tell of the take-over; the history does.
    expect(await one.verify(ofTheOriginal)).toMatchObject({ anchors: 0, finding: undefined });
    await cutBehind(16);
    expect((await one.verify(one.anchorLines())).finding).toMatchObject({ kind: 'cut', position: 16 });
    await cutBehind(4);
    expect((await one.verify(one.anchorLines())).finding).toMatchObject({ kind: 'cut', position: 4 });
  });
});
