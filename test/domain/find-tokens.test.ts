import { findTokens, findWholeToken } from '../../src/domain/support/find-tokens.ts';
import { newHexId, newLegacyToken, tokenHint } from '../../src/shared/ids.ts';
import { upsertAccount } from '../../src/store/accounts/accounts.ts';
import { insertApp } from '../../src/store/apps/apps.ts';
import { insertMapping } from '../../src/store/tokens/mappings.ts';
import type { NewMapping } from '../../src/store/tables/tables.ts';
import { databaseKinds } from '../store/support/stores.ts';
import { type History, openHistory } from './support/histories.ts';

/** Finding tokens by what people have of them. */

const [APP, OTHER_APP, ACCOUNT] = [newHexId(), newHexId(), newHexId()] as const;
const RETIRED_APP = newHexId();

describe.each(databaseKinds)('on %s', (kind) => {
  let history: History;
  const token = newLegacyToken();
  const hint = tokenHint(token);
  let served: string;
  let waiting: string;
  let others: string[];

  async function keepApp(clientId: string, retiredAt: number | null = null): Promise<void> {
    const app = { client_id: clientId, name: `App ${clientId}`, source: 'imported', created_at: 0 } as const;
    const owner = { owner_email: clientId === OTHER_APP ? 'Owner@App.example' : null, retired_at: retiredAt };
    const details = { callbacks: ['https://a.example/'], secretId: newHexId(), secretDigest: 'd' };
    await insertApp(history.db, { ...app, ...owner }, details);
  }

  async function keep(given: Partial<NewMapping>): Promise<string> {
    const id = newHexId();
    await insertMapping(history.db, {
      id,
      token_digest: `k.${id}`,
      client_id: APP,
      state: 'unmapped',
      source: 'imported',
      created_at: 0,
      updated_at: 0,
      ...given,
    });
    return id;
  }

  beforeAll(async () => {
    history = await openHistory(kind);
    await upsertAccount(history.db, { account_id: ACCOUNT, email: 'Ann@B.example', updated_at: 0 });
    for (const app of [APP, OTHER_APP]) await keepApp(app);
    await keepApp(RETIRED_APP, 1);
    served = await keep({
      token_digest: history.context.vault.digest(token),
      hint_first: hint.first,
      hint_last: hint.last,
      account_id: ACCOUNT,
      created_at: 1000,
    });
    waiting = await keep({ account_email: 'waits_for@b.example', hint_first: 'zzz1', hint_last: '%__2' });
    others = [];
    for (let n = 0; n < 101; n += 1) others.push(await keep({ client_id: OTHER_APP, created_at: n }));
  });
  afterAll(() => history.close());

  const idsOf = async (query: string) =>
    (await findTokens(history.context, query)).tokens.map(({ row }) => row.id);

  test('a token is found by its mapping, account and client id and by either end', async () => {
    expect(await idsOf(served)).toEqual([served]);
    expect(await idsOf(ACCOUNT)).toEqual([served]);
    expect(await idsOf(` ${served.toUpperCase()} `)).toEqual([served]);
    expect(await idsOf(APP)).toEqual([served, waiting]);
    expect(await idsOf(APP.toUpperCase())).toEqual([served, waiting]);
    for (const query of [hint.first, hint.last, `1/${hint.first}`, `1%2f${hint.first}`])
      expect(await idsOf(query)).toEqual([served]);
    expect(await idsOf(newHexId())).toEqual([]);
  });

  test('a token of a retired app is found too', async () => {
    const id = await keep({ client_id: RETIRED_APP });
    expect(await idsOf(RETIRED_APP)).toEqual([id]);
  });

  test('by an e-mail address come the tokens of its account, those that wait for it, and those of its apps', async () => {
    expect(await idsOf('aNN@b.example')).toEqual([served]);
    expect(await idsOf('Waits_for@B.example')).toEqual([waiting]);
    expect(await idsOf('owner@app.EXAMPLE')).toHaveLength(100);
    expect(await idsOf('nn@b.example')).toEqual([]);
  });

  test('what stands for anything elsewhere stands for itself', async () => {
    for (const query of [
      '%',
      '_',
      '%%%%',
      '____',
      '%@%',
      'waits%@b.example',
      'waitsXfor@b.example',
      '*',
      '.*',
    ])
      expect([query, await idsOf(query)]).toEqual([query, []]);
    expect(await idsOf('%__2')).toEqual([waiting]);
    expect(await idsOf("' or 1=1 --")).toEqual([]);
    expect(await idsOf('zzz1\0')).toEqual([]);
  });

  test('a hundred are answered at most, the newest first, and it is said that there are more', async () => {
    const found = await findTokens(history.context, OTHER_APP);
    expect(found.tokens.map(({ row }) => row.id)).toEqual(others.toReversed().slice(0, 100));
    expect(found.isMore).toBe(true);
    expect((await findTokens(history.context, APP)).isMore).toBe(false);
  });

  test('a whole token is found as it came or URL-encoded, and only where it may be given', async () => {
    const { context } = history;
    for (const given of [token, `${token}\r`, ` ${encodeURIComponent(token)}`]) {
      const { tokens } = await findWholeToken(context, given);
      expect(tokens).toMatchObject([{ row: { id: served, email: 'Ann@B.example' }, usage: undefined }]);
    }
    expect(await findWholeToken(context, newLegacyToken())).toEqual({ tokens: [], isMore: false });
    await expect(findWholeToken(context, ' ')).rejects.toThrow('held no token');
    const body = token.slice(2);
    for (const query of [
      token,
      encodeURIComponent(token),
      body,
      body.toUpperCase(),
      `Bearer ${token}`,
      '1/abcde',
    ])
      await expect(findTokens(context, query)).rejects.toThrow('grantbridge tokens find -');
    await expect(findTokens(context, ' ')).rejects.toThrow('nothing to look for');
  });

  test('what was seen of a token is told with it', async () => {
    const { usage } = history.context;
    usage.note({
      mappingId: served,
      endpoint: '/1/user.json',
      carrier: 'body',
      userAgent: 'agent',
      status: 200,
    });
    await usage.flush();
    const { tokens } = await findTokens(history.context, served);
    expect(tokens).toMatchObject([{ usage: { calls: 1, carriers: ['body'], userAgents: ['agent'] } }]);
  });
});
