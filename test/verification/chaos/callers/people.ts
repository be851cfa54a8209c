import { setTimeout as delay } from 'node:timers/promises';
import { demoPeople } from '../../../../src/modern/demo/people.ts';
import { CHANNELS } from '../../../posts/support/posts.ts';
import { runCommand } from '../../../processes/running-program.ts';
import { authorize } from '../../../support/callers/authorize.ts';
import { CookieWalker } from '../../../support/callers/cookie-walker.ts';
import type { Chance } from '../../shared/faults/chance.ts';
import { CALL_HEADER } from '../balancer.ts';
import { exchangeGiven, nextNumber } from './calls.ts';
import type { GoodStatus } from '../record.ts';
import type { ChaosApp, ChaosRun, Holder } from '../run.ts';
import { PUBLIC_URL, type Topology } from '../topology.ts';

/** Account holders with their browsers, and the apps that they connect. */

const CALLBACK = 'https://old-app.example/callback';
const PROFILES = [CHANNELS.twitter, CHANNELS.ofAnother];

function renewBrowser(holder: Holder, { balancer }: Topology): void {
  const { headers } = holder;
  holder.browser = new CookieWalker({ publicUrl: PUBLIC_URL, bridgeUrl: balancer.plain, headers });
}

function holdersFor(topology: Topology): Holder[] {
  return PROFILES.map((profile, index) => {
    const { account, password } = demoPeople[index] ?? demoPeople[0];
    const person = { login: account.email, password };
    const holder = { person, profile, headers: {}, browser: new CookieWalker() };
    renewBrowser(holder, topology);
    return holder;
  });
}

const APPS = 8;

/** Registered as an operator does, by the older version. */
export async function registerApps(topology: Topology): Promise<ChaosApp[]> {
  const holders = holdersFor(topology);
  const apps: ChaosApp[] = [];
  for (let n = 0; n < APPS; n += 1) {
    const given = ['--name', `App ${n}`, '--callback', CALLBACK, '--owner', 'owner@old-app.example'];
    const told = await runCommand(topology.settings, ['apps', 'add', ...given], topology.folders.older);
    const { client_id: clientId = '', client_secret: clientSecret = '' } = told;
    const holder = holders[n % holders.length] as Holder;
    apps.push({ clientId, clientSecret, callback: CALLBACK, holder, tokens: [], isBusy: false });
  }
  return apps;
}

/** Something that a person does over several pages; undefined where it broke off. */
async function walk<T>(
  run: ChaosRun,
  { holder, what }: { holder: Holder; what: string },
  work: () => Promise<T>,
): Promise<T | undefined> {
  const id = nextNumber('walk');
  holder.headers[CALL_HEADER] = id;
  const step = { id, what, startedAt: Date.now(), endedAt: 0 };
  try {
    const done = await work();
    run.record.walks.push({ ...step, endedAt: Date.now() });
    return done;
  } catch (error) {
    run.record.walks.push({ ...step, endedAt: Date.now(), failure: (error as Error).message.slice(0, 300) });
    // a browser that was cut off in the middle begins anew
    renewBrowser(holder, run.topology);
    return undefined;
  }
}

function codeFor(run: ChaosRun, app: ChaosApp): Promise<string | undefined> {
  const { holder } = app;
  return walk(run, { holder, what: 'consent' }, async () => {
    const { person, browser } = holder;
    const { code, error } = await authorize({ bridgeUrl: PUBLIC_URL, app, person, browser });
    if (code === undefined) throw new Error(`the consent led to ${error} and no code`);
    return decodeURIComponent(code);
  });
}

const EXCHANGES = 8;
const BETWEEN_EXCHANGES_MS = 1000;

async function exchange(run: ChaosRun, chance: Chance, app: ChaosApp, code: string): Promise<void> {
  let expected: GoodStatus[] = [200];
  for (let n = 0; n < EXCHANGES; n += 1) {
    const answer = await exchangeGiven(run, chance, { app, code, expected });
    const token = (answer?.json as { access_token?: string } | undefined)?.access_token;
    if (token !== undefined) return void app.tokens.push(token);
    if (answer?.status === 400) return;
    // without an answer nobody knows whether the code was spent
    if (!answer || answer.status >= 500) expected = [200, 400];
    await delay(BETWEEN_EXCHANGES_MS);
  }
}

/** One person uses one browser for one thing at a time. */
export const isFree = (run: ChaosRun, { holder }: ChaosApp) =>
  run.apps.every((app) => app.holder !== holder || !app.isBusy);

/** One consent and the exchange of its code; whether a token came. */
export async function connectApp(run: ChaosRun, chance: Chance, app: ChaosApp): Promise<boolean> {
  const before = app.tokens.length;
  app.isBusy = true;
  const code = await codeFor(run, app);
  if (code !== undefined) await exchange(run, chance, app, code);
  app.isBusy = false;
  return app.tokens.length > before;
}

export async function connectSome(run: ChaosRun, chance: Chance): Promise<void> {
  const free = run.apps.filter((app) => isFree(run, app));
  if (free.length > 0) await connectApp(run, chance, chance.pick(free));
}

/** A page of a person who is signed in. */
export async function visitPage(run: ChaosRun, chance: Chance): Promise<void> {
  const free = run.apps.filter((app) => isFree(run, app));
  if (free.length === 0) return;
  const { holder } = chance.pick(free);
  await walk(run, { holder, what: 'page' }, async () => {
    const { status } = await holder.browser.get(`${PUBLIC_URL}/apps`);
    if (status >= 400) throw new Error(`the page was answered ${status}`);
  });
}
