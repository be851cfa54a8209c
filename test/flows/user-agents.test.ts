import { assignByHand } from '../../src/domain/tokens/assign-token.ts';
import { pinByHand } from '../../src/domain/accounts/pin-by-hand.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { addWaitingToken } from '../support/bridge/waiting-token.ts';
import { DANA, wordsOf } from '../owners/support/people.ts';
import type { Page } from '../support/callers/cookie-walker.ts';
import {
  call,
  connect,
  dana,
  danas,
  eventsOf,
  known,
  nobodys,
  pageOf,
  rows,
  seen,
  statusOf,
  system,
  ticked,
  withSeenTokens,
} from './support/seen-tokens.ts';

/** The user agent of a call is a claim: unrelated programs send the same one. */

withSeenTokens();

const listedOn = ({ body }: Page) => [...body.matchAll(/name="token-(\w+)"/g)].map(([, id]) => id ?? '');

/** Where a page of a list leads to. */
function wayOf({ body }: Page, to: 'next' | 'prev'): string {
  const [, href] = new RegExp(`rel="${to}" href="([^"]+)"`).exec(body) ?? [];
  if (href === undefined) throw new Error(`the page leads to no ${to} one`);
  return `${system.bridgeUrl}${href.replaceAll('&amp;', '&')}`;
}

const nextOf = (page: Page) => dana.get(wayOf(page, 'next'));

describe('a user agent', () => {
  test('joins no token to a connection that others with the same words have', async () => {
    const agent = `backup-${newHexId()}/1.0`;
    const first = await seen({ agent });
    // Every button that connects a program leads to the list of its tokens.
    const list = await connect(await dana.get(pageOf(first.clientId)));
    expect(list.url).toBe(`${pageOf(first.clientId)}/connect`);
    expect(wordsOf(list)).toContain(first.token.slice(2, 6));
    const late = await seen({ agent });
    expect(late.clientId).toBe(first.clientId);
    expect((await connect(list)).url).toMatch(/\/connected$/);
    expect((await known(first.token)).state).toBe('active');
    const second = await seen({ agent });
    for (const { token } of [late, second]) expect((await known(token)).state).toBe('unmapped');
    // Ended at the old API it is ended here.
    danas.tokens = danas.tokens.filter((token) => token !== second.token);
    expect(await statusOf(second.token)).toBe(401);
    expect(await statusOf(first.token)).toBe(200);
    // The consent for one more lets those go on that work.
    const again = await connect(await dana.get(`${pageOf(first.clientId)}/connect`), {
      ...ticked(late.id),
      [`token-${second.id}`]: '',
    });
    expect(again.url).toMatch(/\/connected$/);
    expect((await known(first.token)).state).toBe('active');
  });

  test('joins none that support takes back from an app', async () => {
    const agent = `backup-${newHexId()}/1.0`;
    const first = await seen({ agent });
    await connect(await connect(await dana.get(pageOf(first.clientId))));
    const second = await seen({ agent });
    for (const clientId of [system.app.clientId, first.clientId]) {
      const asked = { mappingId: second.id, clientId, reason: 'so', actor: 'command', requestId: null };
      const answer = await assignByHand(system.bridge.context, asked);
      expect(answer).toMatchObject({ outcome: 'assigned', state: 'unmapped' });
    }
    expect((await known(first.token)).state).toBe('active');
    expect((await known(second.token)).state).toBe('unmapped');
  });

  test('joins none when its account becomes known later', async () => {
    const agent = `backup-${newHexId()}/1.0`;
    const first = await seen({ agent });
    await connect(await connect(await dana.get(pageOf(first.clientId))));
    expect((await known(first.token)).state).toBe('active');
    const waiting = await seen({ agent, owner: nobodys });
    expect(waiting.clientId).toBe(first.clientId);
    const email = `${newHexId()}@people.example`;
    await rows().updateTable('mappings').set({ account_email: email }).where('id', '=', waiting.id).execute();
    const pinning = { email, accountId: DANA.accountId, how: 'a test', actor: 'test', requestId: null };
    expect((await pinByHand(system.bridge.context, pinning)).tokens).toBe(1);
    expect(await known(waiting.token)).toMatchObject({ state: 'unmapped', account_id: DANA.accountId });
  });

  test('ends nothing but the token whose call asked for it', async () => {
    const agent = `backup-${newHexId()}/1.0`;
    const [one, two] = [await seen({ agent }), await seen({ agent })];
    await connect(await connect(await dana.get(pageOf(one.clientId))));
    expect([await statusOf(one.token), await statusOf(two.token)]).toEqual([200, 200]);
    expect((await call(one.token, '/1/user/deauthorize.json')).status).toBe(200);
    expect([await statusOf(one.token), await statusOf(two.token)]).toEqual([401, 200]);
    expect((await eventsOf(one.id)).at(-1)).toMatchObject({ actor: `token:${one.id}` });
  });

  test('asks for a choice page by page where more tokens wait than one page lists, and each can be chosen', async () => {
    const { clientId } = await seen();
    const ids: string[] = [];
    for (let n = 0; n < 120; n++) {
      const waiting = { clientId, accountId: DANA.accountId, source: 'observed' } as const;
      ids.push((await addWaitingToken(system.bridge, waiting)).mappingId);
    }
    const list = await connect(await dana.get(pageOf(clientId)));
    expect(list.url).toBe(`${pageOf(clientId)}/connect`);
    expect(listedOn(list)).toHaveLength(50);
    expect(wordsOf(list)).toContain('There are 121 of them.');
    expect(wordsOf(list)).toContain('1 to 50 of 121');
    expect(wordsOf(list)).toContain('If none of all 121 is yours');
    const second = await nextOf(list);
    const last = await nextOf(second);
    const onAll = [list, second, last].flatMap(listedOn);
    expect(new Set(onAll)).toEqual(new Set([...onAll, ...ids]));
    expect(onAll).toHaveLength(121);
    expect(last.body).not.toContain('rel="next"');
    expect(listedOn(await dana.get(wayOf(last, 'prev')))).toEqual(listedOn(second));
    // Nothing is ticked beforehand where nothing was chosen, so one token of the last page alone is connected.
    const bare = await dana.get(`${wayOf(second, 'next')}&nothing`);
    expect(bare.body).not.toContain(' checked');
    const [chosen = ''] = listedOn(bare);
    expect((await connect(bare, ticked(chosen))).url).toMatch(/\/connected$/);
    const connected = await rows()
      .selectFrom('mappings')
      .select('id')
      .where('client_id', '=', clientId)
      .where('state', '=', 'active')
      .execute();
    expect(connected).toEqual([{ id: chosen }]);
  });

  test('leads from a place behind the last token back to the first page', async () => {
    const { clientId } = await seen();
    const far = await dana.get(`${pageOf(clientId)}/connect?account=another&after=9999999999999_f`);
    expect(far.location).toBe(`/apps/${clientId}/connect?account=another`);
  });
});
