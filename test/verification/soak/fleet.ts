import { registerApp } from '../../../src/domain/apps/register-app.ts';
import { demoPeople } from '../../../src/modern/demo/people.ts';
import type { LegacyApp, Person } from '../../support/callers/authorize.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { CHANNELS } from '../../posts/support/posts.ts';
import type { Chance } from '../shared/faults/chance.ts';
import type { Ground } from './ground.ts';

/** The apps of a soak, whose they are, and the tokens that they hold. */

/** Somebody with an account at the new API. */
interface Holder {
  person: Person;
  browser: CookieWalker;
  /** A profile of the account. */
  profile: string;
  /** Whether posts may be made there. */
  mayPost: boolean;
}

export interface SoakApp extends LegacyApp {
  /** Made at the registration, and not connected to anything. */
  ownerToken: string;
  holder: Holder;
  /** Tokens that should be served. */
  live: string[];
  /** Whether a call was refused, so that the holder has to connect again. */
  isRefused: boolean;
  /** While its holder connects it. */
  isBusy: boolean;
}

export interface Fleet {
  apps: readonly SoakApp[];
  /** An app for hostile requests alone, whose tokens nobody counts on. */
  hostile: SoakApp;
  /** Tokens whose end was answered. */
  ended: string[];
  /** Tokens that ended in a way that nobody knows yet. */
  ending: Array<{ token: string; app: SoakApp }>;
  /** Tokens of the import. */
  imported: string[];
}

const CALLBACK = 'https://old-app.example/callback';

async function register({ context, recorder }: Ground, name: string, holder: Holder): Promise<SoakApp> {
  const registration = {
    name,
    callbacks: [CALLBACK],
    owner: 'owner@old-app.example',
    actor: 'soak',
    requestId: null,
  };
  const registered = await registerApp(context, registration);
  if (!registered) throw new Error('an app without a fixed id is never known already');
  recorder.secrets.add(registered.clientSecret).add(registered.ownerToken);
  return { ...registered, callback: CALLBACK, holder, live: [], isRefused: false, isBusy: false };
}

function holders(): Holder[] {
  const profiles = [
    { profile: CHANNELS.twitter, mayPost: true },
    { profile: CHANNELS.ofAnother, mayPost: false },
  ];
  return profiles.map((own, index) => {
    const { account, password } = demoPeople[index] ?? demoPeople[0];
    return { ...own, person: { login: account.email, password }, browser: new CookieWalker() };
  });
}

/** Registers the apps; none of them holds a token yet. */
export async function registerFleet(ground: Ground, count: number): Promise<Fleet> {
  const people = holders();
  const holderOf = (n: number) => people[n % people.length] as Holder;
  const apps: SoakApp[] = [];
  for (let n = 0; n < count; n += 1) apps.push(await register(ground, `Soaked App ${n}`, holderOf(n)));
  const hostile = await register(ground, 'Hostile App', holderOf(0));
  return { apps, hostile, ended: [], ending: [], imported: [] };
}

/** An app that holds a token, and one of its tokens. */
export function someLive({ apps }: Fleet, chance: Chance): { app: SoakApp; token: string } | undefined {
  const connected = apps.filter(({ live }) => live.length > 0);
  if (connected.length === 0) return undefined;
  const app = chance.pick(connected);
  return { app, token: chance.pick(app.live) };
}

/** Every token that somebody was given by the bridge, whatever has become of it. */
export function knownTokens({ apps, hostile, ended, ending }: Fleet): string[] {
  const ofApps = [...apps, hostile].flatMap(({ ownerToken, live }) => [ownerToken, ...live]);
  return [...ofApps, ...ended, ...ending.map(({ token }) => token)];
}
