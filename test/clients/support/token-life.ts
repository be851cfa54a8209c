import { DANA } from '../../owners/support/people.ts';
import { type LegacyApp, walkUntil } from '../../support/callers/authorize.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { exchange } from '../../support/callers/legacy-calls.ts';
import type { System } from '../../support/bridge/system.ts';
import { addWaitingToken } from '../../support/bridge/waiting-token.ts';

/** The way of one old token through its connection, step by step, so that its client can call between the steps. */

export const STEPS = ['waiting', 'consent open', 'code not exchanged', 'connected'] as const;

export type Step = (typeof STEPS)[number];

export interface TokenLife {
  app: LegacyApp;
  token: string;
  /** Takes the steps that lead to this one. */
  reach(step: Step): Promise<void>;
}

/** An imported token of an app of its own; the old API knows it. */
export async function beginTokenLife(system: System, number: number): Promise<TokenLife> {
  const app = await system.registerApp(`https://old-app-${number}.example/callback`);
  const { accountId } = DANA;
  const { token } = await addWaitingToken(system.bridge, { clientId: app.clientId, accountId });
  const browser = new CookieWalker();
  const { person, bridgeUrl, proxy } = system;
  let at = 0;
  let place = '';

  async function openConsent(): Promise<void> {
    const query = new URLSearchParams({
      client_id: app.clientId,
      redirect_uri: app.callback,
      response_type: 'code',
    });
    const start = `${bridgeUrl}/oauth2/authorize?${query.toString()}`;
    // The person has said yes to the app, and stands before the consent of the new API.
    place = (await walkUntil(start, { browser, person, until: proxy.origin })).location;
  }

  async function consent(): Promise<void> {
    place = (await walkUntil(place, { browser, person, until: app.callback })).location;
  }

  async function exchangeCode(): Promise<void> {
    const code = new URL(place).searchParams.get('code') ?? '';
    const answer = await exchange(system, code, app);
    if (answer.status !== 200) throw new Error(`the exchange was answered ${answer.status}: ${answer.text}`);
  }

  const ways = [openConsent, consent, exchangeCode];
  return {
    app,
    token,
    async reach(step) {
      for (; at < STEPS.indexOf(step); at += 1) await ways[at]?.();
    },
  };
}
