import { newHexId } from '../../../src/shared/ids.ts';
import { lookAtEntries } from '../../../src/domain/take-back/look.ts';
import { giveAccess } from '../../../src/domain/apps/app-access.ts';
import { addContact } from '../../../src/domain/apps/app-contacts.ts';
import { pinByHand } from '../../../src/domain/accounts/pin-by-hand.ts';
import { databaseKinds } from '../../support/jest/test-mode.ts';
import { exchange, freshCode, tokenOf } from '../../support/callers/legacy-calls.ts';
import { DANA, SAM, waitingToken, wordsOf } from '../../owners/support/people.ts';
import { TakeBackWorld } from './support/take-back-world.ts';

/** What came after an action, beside what changed its rows; and what it costs to look at a large one. */

describe.each(databaseKinds)('on %s', (kind) => {
  const world = new TakeBackWorld();
  beforeAll(() => world.startOn(kind, { LEGACY_CODE_REPLAY: 'revoke' }));
  afterAll(() => world.stop());

  const newApp = async () => {
    const app = await world.system.registerApp(`https://${newHexId()}.example/callback`);
    world.apps = [app];
    return app;
  };

  test('a revoked token whose code came a second time meanwhile is not made to work again', async () => {
    const app = await newApp();
    const code = await freshCode(world.system, { app });
    const token = tokenOf(await exchange(world.system, code, app));
    world.secrets.push(token);
    const one = await world.known(world.secrets.length - 1);
    await world.made('import', 1);
    const id = one?.id ?? '';
    await world.acts(id, 'revoke');
    const entry = await world.entry('token_revoked', id);
    expect(await world.whyNot(entry)).toBeUndefined();
    expect((await exchange(world.system, code, app)).status).toBe(400);
    expect(await world.whyNot(entry)).toBe(
      'The code that the token was made from was used a second time since.',
    );
    await world.forces(entry);
    expect((await world.row(id)).state).toBe('revoked');
    expect(await world.status(token)).toBe(401);
  });

  const pin = (email: string, accountId: string) =>
    pinByHand(world.context, { email, accountId, how: 'ticket', actor: 'account:lead', requestId: null });

  test('an address that names no entry takes nothing back, for the owner of an app too', async () => {
    const { clientId } = await newApp();
    await world.db
      .updateTable('apps')
      .set({ owner_account_id: DANA.accountId })
      .where('client_id', '=', clientId)
      .execute();
    const account = await world.dana.get(world.at('/apps/account'));
    const fields = world.dana.forms(account).flatMap((form) => form.fields);
    const token = fields.find(({ name }) => name === '_form')?.value ?? '';
    for (const entry of ['none', '1e400', '9'.repeat(30), '-1', '1.5']) {
      const form = world.at(`/apps/${clientId}/handovers/${entry}/take-back`);
      expect((await world.dana.get(form)).status).toBe(404);
      const sent = await world.dana.post(form, { _form: token }, { origin: world.system.bridgeUrl });
      expect([entry, sent.status, sent.location]).toEqual([
        entry,
        303,
        `/apps/${clientId}/move?done=too-late`,
      ]);
    }
  });

  /** An app of DANA that is shared with an address. */
  async function sharedWith(address: string): Promise<string> {
    const { clientId } = await newApp();
    const origin = { actor: `account:${DANA.accountId}`, requestId: null };
    await addContact(world.context, { clientId, address, ...origin });
    const given = { clientId, address, access: 'manage', owner: DANA.accountId } as const;
    await giveAccess(world.context, { ...given, ...origin });
    return clientId;
  }

  test('the form of a pin tells of the apps that are shared with the address', async () => {
    const email = `${newHexId()}@box.example`;
    const { id } = await waitingToken(world.system, { email });
    const form = async () => wordsOf(await world.lead.get(world.at(`/support/mappings/${id}/pin`)));
    expect(await form()).toContain(`Everything that waits under ${email} (1 token) belongs`);
    expect(await form()).toContain('the apps that are shared with the address: none now');
    await sharedWith(email);
    expect(await form()).toContain('the apps that are shared with the address: 1 app now');
  });

  test('a pin that is taken back takes the pages of shared apps with it', async () => {
    const clientId = await sharedWith(SAM.login);
    const shares = () =>
      world.db.selectFrom('app_contacts').selectAll().where('client_id', '=', clientId).execute();
    const before = await shares();
    await pin(SAM.login, 'mallory');
    expect((await shares())[0]?.account_id).toBe('mallory');
    await world.takesBack(await world.entry('access_proven'));
    expect(await shares()).toEqual(before);
  });

  /** Counts the statements of a piece of work, and the turns that other work got meanwhile. */
  async function costOf(work: (context: typeof world.context) => Promise<unknown>) {
    let [statements, turns] = [0, 0];
    const durable = world.db.withPlugin({
      transformQuery({ node }) {
        statements += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    await work({ ...world.context, store: { ...world.context.store, durable } });
    clearInterval(timer);
    return { statements, turns };
  }

  test('a page of the history that tells of one large pin looks at it once, and other work gets its turn', async () => {
    const { clientId } = await newApp();
    const email = `${newHexId()}@box.example`;
    const tokens = 300;
    for (let n = 0; n < tokens; n += 1) {
      const waiting = {
        client_id: clientId,
        account_email: email,
        state: 'unmapped',
        source: 'imported',
      } as const;
      const made = { id: newHexId(), token_digest: newHexId(), created_at: 0, updated_at: 0 };
      await world.db
        .insertInto('mappings')
        .values({ ...waiting, ...made })
        .execute();
    }
    await pin(email, DANA.accountId);
    const entries = await world.db
      .selectFrom('events')
      .select('id')
      .where('action', '=', 'account_pinned')
      .orderBy('id', 'desc')
      .limit(50)
      .execute();
    const ids = entries.map(({ id }) => id);
    const { statements, turns } = await costOf(async (context) => {
      const looks = await lookAtEntries(context, ids);
      expect([looks.size, [...looks.values()].map(({ whyNot }) => whyNot)]).toEqual([
        50,
        ids.map(() => undefined),
      ]);
    });
    expect(statements).toBeLessThan(tokens * 10);
    expect(turns).toBeGreaterThan(3);
  });
});
