import { assignByHand } from '../../../src/domain/tokens/assign-token.ts';
import { newHexId, newLegacyToken } from '../../../src/shared/ids.ts';
import { valueOf } from '../../modern/support/settings.ts';
import type { Page } from '../../support/callers/cookie-walker.ts';
import { read } from '../../support/callers/legacy-calls.ts';
import { testMode } from '../../support/jest/test-mode.ts';
import {
  consentAt,
  DANA,
  historyOf,
  mappingOf,
  pressIn,
  SAM,
  waitingToken,
  wordsOf,
} from '../support/people.ts';
import type { Stage } from './stage.ts';

/** A token that was seen in use alone: its holder pastes it, and a consent shows whose it is (docs/decisions/0017). */
export function pastingAToken(stage: Stage): void {
  /** A channel of the first demo account, as the old API named it, and one of nobody. */
  const OF_DANA = { service: 'twitter', service_id: '164724445' };
  const OF_NOBODY = { service: 'twitter', service_id: '999' };

  /** Served tokens teach pairs of ids, which would decide the next test. */
  beforeEach(
    async () => void (await stage.system.bridge.context.store.durable.deleteFrom('id_pairs').execute()),
  );

  /** A waiting token that the old backend knows with these profiles. */
  async function observed(
    networks: Array<{ service: string; service_id: string }>,
    userId = newHexId(),
    told: { email?: string } = {},
  ) {
    const waiting = await waitingToken(stage.system, {});
    const profiles = networks.map((network) => ({ id: newHexId(), ...network }));
    stage.accounts.push({ tokens: [waiting.token], user: { id: userId, ...told }, profiles });
    return waiting;
  }

  const pastePage = () => `${stage.system.bridgeUrl}/apps/paste-token`;

  async function paste(token: string, browser = stage.dana): Promise<Page> {
    return pressIn(browser, await browser.get(pastePage()), /^(Compare with my account|Look it up)$/, {
      token,
    });
  }

  /** From the form to the return of a consent by this person. */
  async function pasteAndConsent(token: string, { browser = stage.dana, person = DANA } = {}): Promise<Page> {
    const left = await paste(token, browser);
    if (left.location === undefined) throw new Error(`the form led nowhere: ${wordsOf(left)}`);
    return browser.follow(await browser.get(await consentAt(stage.system, left, { person })));
  }

  const statusOf = async (token: string) => (await read(stage.system, '/1/profiles.json', token)).status;

  const requestsKept = async () =>
    stage.system.bridge.context.store.durable.selectFrom('authorization_requests').selectAll().execute();

  test('a token whose profiles are among the channels of the account is given to it and served from then on', async () => {
    const { id, token } = await observed([OF_DANA], newHexId(), { email: DANA.login.toUpperCase() });
    const page = await pasteAndConsent(token);
    expect(page.url).toBe(`${stage.system.bridgeUrl}/apps/${stage.system.app.clientId}/connected`);
    expect(await mappingOf(stage.system, id)).toMatchObject({ state: 'active', accountId: DANA.accountId });
    expect(await statusOf(token)).toBe(200);
    const history = await historyOf(stage.system, stage.system.app.clientId);
    const proven = history.indexOf('account_proven: the old API knows the same profiles');
    expect(history.slice(proven, proven + 3)).toEqual([
      'account_proven: the old API knows the same profiles',
      'granted: consent',
      'token_connected: consent',
    ]);
    const asSent = `curl -H "Authorization: Bearer ${token}" https://old.example/1/user.json`;
    expect((await paste(asSent)).location).toBe(`/apps/${stage.system.app.clientId}`);
  });

  test('the token is in no page, address, request or history', async () => {
    const { token } = await observed([OF_NOBODY]);
    const left = await paste(token);
    expect(left.location).not.toContain(token.slice(2));
    const refused = await paste(`${token}0`, stage.sam);
    expect(refused.body).not.toContain(token.slice(2));
    expect(valueOf(refused, 'token')).toBe('');
    expect(JSON.stringify(await requestsKept())).not.toContain(token.slice(2));
    expect((await historyOf(stage.system, stage.system.app.clientId)).join()).not.toContain(token.slice(2));
    const byAddress = await stage.dana.get(`${pastePage()}?token=${token}`);
    expect(byAddress.body).not.toContain(token.slice(2));
  });

  test.each([
    ['reaches more than the account does', [OF_DANA, OF_NOBODY], {}],
    ['is of another e-mail address', [OF_DANA], { email: 'boss@bank.example' }],
  ])('a token that %s is not given to it, and the page says so', async (_what, networks, told) => {
    const { id, token } = await observed(networks, newHexId(), told);
    const page = await pasteAndConsent(token);
    expect(wordsOf(page)).toContain('not show that it is this account’s');
    expect(await mappingOf(stage.system, id)).toEqual({ state: 'unmapped', accountId: null, grantId: null });
  });

  test('somebody else who pastes it does not get it, and neither does who consents in place of the one who pasted', async () => {
    const { id, token } = await observed([OF_DANA]);
    expect(wordsOf(await pasteAndConsent(token, { browser: stage.sam, person: SAM }))).toContain(
      'not show that it is this account’s',
    );
    expect(await mappingOf(stage.system, id)).toMatchObject({ state: 'unmapped', accountId: null });
    // Pasted by Sam, allowed by Dana in his browser.
    const left = await paste(token, stage.sam);
    const back = await consentAt(stage.system, left, { person: DANA });
    expect(wordsOf(await stage.sam.get(back))).toContain('You allowed it as');
    expect(await mappingOf(stage.system, id)).toMatchObject({ state: 'unmapped', accountId: null });
  });

  test('a pair of account ids decides: for the account without a profile, against another one with the same', async () => {
    const { durable } = stage.system.bridge.context.store;
    const danasId = newHexId();
    const pair = { kind: 'account', source: 'imported', legacy_id: danasId, created_at: 1 } as const;
    await durable
      .insertInto('id_pairs')
      .values({ ...pair, modern_id: DANA.accountId })
      .execute();
    const hers = await observed([], danasId);
    await pasteAndConsent(hers.token);
    expect(await mappingOf(stage.system, hers.id)).toMatchObject({
      state: 'active',
      accountId: DANA.accountId,
    });
    // Of somebody in her team, whose own account nobody knows yet.
    const ofTeam = await observed([OF_DANA]);
    expect(wordsOf(await pasteAndConsent(ofTeam.token))).toContain('not show that it is this account’s');
    await durable.updateTable('id_pairs').set({ modern_id: SAM.accountId }).execute();
    const his = await observed([OF_DANA], danasId);
    expect(wordsOf(await pasteAndConsent(his.token))).toContain('not show that it is this account’s');
    for (const { id } of [ofTeam, his])
      expect(await mappingOf(stage.system, id)).toMatchObject({ state: 'unmapped', accountId: null });
  });

  test('what became of the token meanwhile counts: one that was given to somebody in between stays theirs', async () => {
    const { id, token } = await observed([OF_DANA]);
    const left = await paste(token);
    const back = await consentAt(stage.system, left, { person: DANA });
    const { durable } = stage.system.bridge.context.store;
    await durable.updateTable('mappings').set({ account_id: SAM.accountId }).where('id', '=', id).execute();
    expect(wordsOf(await stage.dana.get(back))).toContain('not show that it is this account’s');
    expect(await mappingOf(stage.system, id)).toMatchObject({ state: 'unmapped', accountId: SAM.accountId });
  });

  test('one that support named the app of in between is given to the account, and is to be connected once more there', async () => {
    const { durable } = stage.system.bridge.context.store;
    const program = { client_id: newHexId(), name: 'unidentified program: x', source: 'observed' } as const;
    await durable
      .insertInto('apps')
      .values({ ...program, created_at: 1 })
      .execute();
    const { id, token } = await observed([OF_DANA]);
    const theirs = { client_id: program.client_id, source: 'observed' } as const;
    await durable.updateTable('mappings').set(theirs).where('id', '=', id).execute();
    const left = await paste(token);
    const back = await consentAt(stage.system, left, { person: DANA });
    const app = await stage.system.registerApp('https://named.example/callback');
    const asked = { mappingId: id, clientId: app.clientId, reason: 'so', actor: 'command', requestId: null };
    expect(await assignByHand(stage.system.bridge.context, asked)).toMatchObject({ outcome: 'assigned' });

    const page = await stage.dana.follow(await stage.dana.get(back));
    expect(page.url).toBe(`${stage.system.bridgeUrl}/apps/${app.clientId}?done=of-another-app`);
    expect(wordsOf(page)).toMatch(/The token is yours now.*1 token waiting/);
    expect(await mappingOf(stage.system, id)).toMatchObject({ state: 'unmapped', accountId: DANA.accountId });
    const grants = durable.selectFrom('grants').select('id').where('client_id', '=', program.client_id);
    expect(await grants.execute()).toEqual([]);
    const again = await pressIn(stage.dana, page, /^Connect$/);
    const end = await stage.dana.get(await consentAt(stage.system, again, { person: DANA }));
    expect(end.location).toBe(`/apps/${app.clientId}/connected`);
    expect(await statusOf(token)).toBe(200);
  });

  test('each token that cannot be compared is told why, and nothing is asked of the account page', async () => {
    const before = (await requestsKept()).length;
    const said: Array<[token: string, words: string]> = [
      [newLegacyToken(), 'This token is not known here.'],
      ['', 'This token is not known here.'],
      [
        (await waitingToken(stage.system, { accountId: DANA.accountId, state: 'revoked' })).token,
        'was revoked',
      ],
      [
        (await waitingToken(stage.system, { email: 'x@people.example' })).token,
        'waits for the account with the e-mail address',
      ],
      [(await waitingToken(stage.system, {})).token, 'The old API refuses this token'],
    ];
    for (const [token, words] of said) {
      const page = await paste(token, stage.sam);
      expect(page.status).toBe(422);
      expect(wordsOf(page)).toContain(words);
    }
    const { token } = await observed([OF_DANA]);
    await stage.old.setBehaviour('cut');
    const page = await paste(token, stage.sam);
    await stage.old.setBehaviour('normal');
    expect(page.status).toBe(503);
    expect(wordsOf(page)).toContain('The old API did not answer');
    expect(await requestsKept()).toHaveLength(before);
  });

  // Only the process of the bridge itself can lose it between two calls.
  (testMode.isSpawned ? test.skip : test)(
    'without an old backend nothing can be compared, and the page says where to turn',
    async () => {
      const { context } = stage.system.bridge;
      const { token } = await observed([OF_DANA]);
      const { oldBackend } = context;
      context.oldBackend = undefined;
      const page = await paste(token, stage.sam);
      context.oldBackend = oldBackend;
      expect(page.status).toBe(422);
      expect(wordsOf(page)).toContain('cannot be shown now');
    },
  );

  test('trying tokens is limited to ten a minute', async () => {
    let page = await paste(newLegacyToken(), stage.sam);
    for (let sent = 1; page.status === 422 && sent < 11; sent += 1)
      page = await paste(newLegacyToken(), stage.sam);
    expect(page.status).toBe(429);
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0);
  });
}
