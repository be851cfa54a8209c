import { setTimeout as delay } from 'node:timers/promises';
import { authorize } from '../../../support/callers/authorize.ts';
import { CookieWalker } from '../../../support/callers/cookie-walker.ts';
import { exchangeFields } from '../../../support/callers/legacy-calls.ts';
import { rawForm } from '../../../support/callers/raw-request.ts';
import { newLegacyCode } from '../../../../src/shared/ids.ts';
import { deauthorizeToken, exchangeCode } from '../../shared/calls.ts';
import type { Chance } from '../../shared/faults/chance.ts';
import type { SoakApp } from '../fleet.ts';
import { countCall } from '../ledger.ts';
import { type SoakRun, someMachine } from '../run.ts';
import { otherCall } from './other-call.ts';

/** Consents of account holders, the exchanges of their codes, and the ends of what came of them. */

/** A code as the app reads it from its callback; undefined where the way there broke off. */
async function codeFor(run: SoakRun, app: SoakApp): Promise<string | undefined> {
  const { ground, ledger } = run;
  const { holder } = app;
  const [machine] = ground.machines;
  try {
    const { person, browser } = holder;
    const { code } = await authorize({ bridgeUrl: machine?.url ?? '', app, person, browser });
    if (code === undefined) throw new Error('the consent led to no code');
    const clear = decodeURIComponent(code);
    ground.recorder.secrets.add(clear);
    ledger.count('other: consents');
    return clear;
  } catch {
    // a browser that was cut off in the middle begins anew
    holder.browser = new CookieWalker();
    ledger.count('other: consents that broke off');
    return undefined;
  }
}

async function exchangeOnce(run: SoakRun, chance: Chance, asked: { app: SoakApp; code: string }) {
  const { index, url } = someMachine(run, chance);
  const { patience } = run.options.pace;
  const { token, ...call } = await exchangeCode(url, index, { ...asked, patience });
  run.ledger.calls.push(call);
  countCall(run.ledger, 'exchange', call);
  if (token !== undefined) {
    run.ground.recorder.secrets.add(token);
    asked.app.live.push(token);
    asked.app.isRefused = false;
  }
  return call.status;
}

const EXCHANGES = 6;
const BETWEEN_EXCHANGES_MS = 1500;

/** An old app tries again where it got no answer, for as long as its code lives; some send two at once. */
async function exchange(run: SoakRun, chance: Chance, asked: { app: SoakApp; code: string }): Promise<void> {
  const twins = chance.happens(0.2) ? [exchangeOnce(run, chance, asked)] : [];
  for (let n = 0; n < EXCHANGES; n += 1) {
    const status = await exchangeOnce(run, chance, asked);
    if (status === 200 || status === 400) break;
    await delay(BETWEEN_EXCHANGES_MS);
  }
  await Promise.all(twins);
}

/** One consent and what follows; whether a token came. */
export async function connectApp(run: SoakRun, chance: Chance, app: SoakApp): Promise<boolean> {
  const before = app.live.length;
  app.isBusy = true;
  const code = await codeFor(run, app);
  if (code !== undefined) await exchange(run, chance, { app, code });
  app.isBusy = false;
  return app.live.length > before;
}

/** Those that were refused come first, then those without a token, then any. */
export async function connectSome(run: SoakRun, chance: Chance): Promise<void> {
  const { apps, ending } = run.fleet;
  const free = apps.filter((app) => !app.isBusy && !ending.some((each) => each.app === app));
  const refused = free.filter(({ isRefused }) => isRefused);
  const without = free.filter(({ live }) => live.length === 0);
  const [first] = [refused, without, free].filter((list) => list.length > 0);
  if (first) await connectApp(run, chance, chance.pick(first));
}

/** A code that nobody gave, from a client that proves who it is. */
export async function exchangeUnknown(run: SoakRun, chance: Chance, app?: SoakApp): Promise<void> {
  const body = new URLSearchParams(
    exchangeFields(app ?? chance.pick(run.fleet.apps), newLegacyCode()),
  ).toString();
  const request = { method: 'POST', path: '/1/oauth2/token.json', ...rawForm(body) };
  await otherCall(run, chance, { what: 'unknown code', request, allowed: [400, 503] });
}

/** Asks for the end of a token until that is answered. */
async function end(run: SoakRun, chance: Chance, token: string): Promise<boolean> {
  const { index, url } = someMachine(run, chance);
  const { patience } = run.options.pace;
  const call = await deauthorizeToken(url, index, { token, patience });
  run.ledger.calls.push(call);
  countCall(run.ledger, 'deauthorize', call);
  if (call.status !== 200 && call.status !== 401) return false;
  run.fleet.ended.push(token);
  return true;
}

/** Ends an app for its account, whose tokens all end with one; what was not answered is asked again the next time. */
export async function deauthorizeSome(run: SoakRun, chance: Chance): Promise<void> {
  const { fleet } = run;
  const connected = fleet.apps.filter(
    ({ live, isRefused, isBusy }) => live.length > 0 && !isRefused && !isBusy,
  );
  if (fleet.ending.length === 0 && connected.length > 2) {
    const app = chance.pick(connected);
    fleet.ending.push(...app.live.splice(0).map((token) => ({ token, app })));
  }
  const answered = new Set<string>();
  for (const { token } of fleet.ending) if (await end(run, chance, token)) answered.add(token);
  fleet.ending = fleet.ending.filter(({ token }) => !answered.has(token));
}
