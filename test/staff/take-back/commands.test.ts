import { cutOver } from '../../../src/cli/commands/apps/cut-over.ts';
import { pin } from '../../../src/cli/commands/apps/accounts.ts';
import { undoEntry } from '../../../src/cli/commands/history/undo.ts';
import { assign, revoke } from '../../../src/cli/commands/tokens/token-actions.ts';
import type { Result } from '../../../src/cli/commands/result.ts';
import { WrongUsage } from '../../../src/cli/commands/wrong-usage.ts';
import { TakeBackRefused } from '../../../src/domain/history/record-deed.ts';
import { newHexId } from '../../../src/shared/ids.ts';
import { databaseKinds } from '../../support/jest/test-mode.ts';
import { DANA, waitingToken } from '../../owners/support/people.ts';
import { TakeBackWorld } from './support/take-back-world.ts';

/** Each command says how it is taken back, and what it says does it. */

const reason = 'ticket 4711';

/** The id that the line of a command names. */
function namedIn({ lines }: Result): string {
  const line = /^Until (\S+) this can be taken back: grantbridge history undo (\d+) --reason TEXT$/;
  const found = lines.map((one) => line.exec(one)).find((match) => match !== null);
  if (!found) throw new Error(lines.join('\n'));
  return found[2] ?? '';
}

describe.each(databaseKinds)('on %s', (kind) => {
  const world = new TakeBackWorld();
  beforeAll(() => world.startOn(kind));
  afterAll(() => world.stop());

  const run = (one: (options: Record<string, unknown>, args: readonly string[]) => Promise<Result>) => {
    return (args: readonly string[], options: Record<string, unknown> = {}) =>
      world.command(() => one({ reason, by: 'Kim', ...options }, args));
  };
  const undo = run(undoEntry);

  test('revoke and assign: the line that they print brings the token back, once', async () => {
    const waiting = await waitingToken(world.system, { accountId: DANA.accountId });
    const before = await world.row(waiting.id);
    const entry = namedIn(await run(revoke)([waiting.id]));
    const back = await undo([entry]);
    expect(back).toMatchObject({ ok: true, json: { entry: Number(entry), what: 'revoke', changes: 1 } });
    expect(back.lines.join(' ')).toContain('Taken back.');
    expect(await world.row(waiting.id)).toEqual(before);
    expect((await world.entries()).at(-1)).toMatchObject({
      actor: 'command:Kim',
      reason: `entry ${entry}: ${reason}`,
    });
    await expect(undo([entry])).rejects.toThrow(new TakeBackRefused('It was taken back already.'));
    const { id } = await world.made('observe', 0);
    const stood = await world.row(id);
    const assigned = await run(assign)([id], { app: world.system.app.clientId });
    expect(assigned.json).not.toHaveProperty('deed');
    await undo([namedIn(assigned)]);
    expect(await world.row(id)).toEqual(stood);
  });

  test('a pin and a cut-over: so does theirs', async () => {
    const email = `${newHexId()}@box.example`;
    const { id } = await waitingToken(world.system, { email });
    const before = await world.row(id);
    await undo([namedIn(await run(pin)([email, DANA.accountId]))]);
    expect(await world.row(id)).toEqual(before);
    const { clientId } = world.system.app;
    await undo([namedIn(await run(cutOver)([clientId], { percent: '20', yes: true }))]);
    const app = world.db.selectFrom('apps').select('cut_over_percent').where('client_id', '=', clientId);
    expect((await app.executeTakeFirstOrThrow()).cut_over_percent).toBe(0);
    await world.chainIsWhole();
  });

  test('the last token of a connection: the command says that this stays', async () => {
    world.apps = [await world.system.registerApp(`https://${newHexId()}.example/callback`)];
    const { id } = await world.made('issue', 0);
    await world.db.deleteFrom('legacy_codes').where('mapping_id', '=', id).execute();
    const { lines } = await run(revoke)([id]);
    expect(lines.join(' ')).toContain('This cannot be taken back: The connection behind it has ended');
    await expect(undo([String(await world.entry('token_revoked', id))])).rejects.toThrow(TakeBackRefused);
  });

  test('a text that is no id, a reason that is none, and an entry of something else change nothing', async () => {
    const count = (await world.entries()).length;
    for (const text of ['', '0', '-1', '1e3', 'abc', '9'.repeat(30)])
      await expect(undo([text])).rejects.toThrow(WrongUsage);
    await expect(undo(['1'])).rejects.toThrow('There is nothing to take back.');
    const token = `1/${'a'.repeat(32)}`;
    const { id } = await waitingToken(world.system, { accountId: DANA.accountId });
    const entry = namedIn(await run(revoke)([id]));
    await expect(undo([entry], { reason: token })).rejects.toThrow('reason: the text seems to hold a token');
    expect((await world.entries()).length).toBe(count + 1);
    expect((await world.row(id)).state).toBe('revoked');
  });
});
