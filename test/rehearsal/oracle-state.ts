import type { Milestone } from '../../src/store/lifecycle-tables.ts';
import { DAY } from './calendar.ts';
import { type Change, type Human, type World, type WorldToken, zoneOf } from './world.ts';

/** The oracle's own idea of how things stand, from the world's script alone: nobody's rows are read. */

/** An awakening may be seen or not where the token was not waiting all the time until somebody looked. */
interface Awakening {
  at: number;
  isSure: boolean;
}

export interface TokenNow {
  app: string;
  human: string | undefined;
  state: 'unmapped' | 'active' | 'reauthorization_required' | 'ended';
  /** Whether its account is known, and not its address alone. */
  isPinned: boolean;
  usedAt: number | undefined;
  woken: Awakening | undefined;
  diedAt: number | undefined;
}

export interface HumanNow {
  id: string;
  zone: string;
  /** In lower case. */
  address: string | undefined;
  tokens: TokenNow[];
  owned: string[];
}

export interface OracleState {
  humans: ReadonlyMap<string, HumanNow>;
  tokensOf(app: string): readonly TokenNow[];
  dateFor(milestone: Milestone, app: string): number | undefined;
  apply(change: Change): void;
  use(token: string, at: number): void;
}

const FATAL: readonly string[] = ['refused', 'lost', 'superseded'];

/** After so long nobody expects a token to be used. */
const SILENCE = 30 * DAY;

export const isWaiting = ({ state }: TokenNow): boolean =>
  state === 'unmapped' || state === 'reauthorization_required';

interface Parts {
  humans: Map<string, HumanNow>;
  accounts: Set<string>;
  tokens: Map<string, TokenNow>;
  byApp: Map<string, TokenNow[]>;
  dates: Map<string, number | null>;
  extensions: Map<string, number>;
}

function tokenNow(token: WorldToken, accounts: ReadonlySet<string>): TokenNow {
  const { app, human, state, lastUsedAt, died } = token;
  const isPinned = human !== undefined && accounts.has(human);
  const diedAt = died && FATAL.includes(died.cause) ? died.at : undefined;
  return { app, human, state, isPinned, usedAt: lastUsedAt, woken: undefined, diedAt };
}

function humanNow({ id, zone, email }: Human): HumanNow {
  return { id, zone: zoneOf(zone), address: email?.toLowerCase(), tokens: [], owned: [] };
}

function partsOf(world: World): Parts {
  const accounts = new Set(
    world.humans.flatMap(({ id, accountId }) => (accountId === undefined ? [] : [id])),
  );
  const humans = new Map(world.humans.map((human) => [human.id, humanNow(human)]));
  const tokens = new Map(world.tokens.map((token) => [token.id, tokenNow(token, accounts)]));
  const byApp = new Map<string, TokenNow[]>(world.apps.map(({ clientId }) => [clientId, []]));
  for (const token of tokens.values()) {
    byApp.get(token.app)?.push(token);
    humans.get(token.human ?? '')?.tokens.push(token);
  }
  for (const { clientId, owner } of world.apps) humans.get(owner?.human ?? '')?.owned.push(clientId);
  return { humans, accounts, tokens, byApp, dates: new Map(), extensions: new Map() };
}

const pairOf = ({ humans }: Parts, { human, app }: { human: string; app: string }): TokenNow[] =>
  (humans.get(human)?.tokens ?? []).filter((token) => token.app === app && token.isPinned);

function connect(token: TokenNow): void {
  if (token.state === 'ended') return;
  token.state = 'active';
  token.diedAt = undefined;
  if (token.woken) token.woken.isSure = false;
}

function lose(token: TokenNow, { at, cause }: { at: number; cause: string }): void {
  if (token.state !== 'active') return;
  token.state = 'reauthorization_required';
  token.diedAt = FATAL.includes(cause) ? at : undefined;
}

function signUp({ humans, accounts }: Parts, { human, zone }: { human: string; zone: string }): void {
  accounts.add(human);
  const known = humans.get(human);
  if (known) known.zone = zoneOf(zone);
}

function pin({ humans, accounts }: Parts, human: string): void {
  if (accounts.has(human)) for (const token of humans.get(human)?.tokens ?? []) token.isPinned = true;
}

function revoke({ tokens }: Parts, id: string): void {
  const token = tokens.get(id);
  if (token) token.state = 'ended';
}

function migrate({ byApp }: Parts, app: string): void {
  for (const token of byApp.get(app) ?? []) if (token.isPinned) token.state = 'ended';
}

type Applying = { [K in Change['kind']]: (parts: Parts, change: Extract<Change, { kind: K }>) => void };

const APPLYING: Applying = {
  act: (parts, change) => pairOf(parts, change).forEach(connect),
  die: (parts, change) => pairOf(parts, change).forEach((token) => lose(token, change)),
  revoke: (parts, { token }) => revoke(parts, token),
  migrate: (parts, { app }) => migrate(parts, app),
  'sign-up': signUp,
  pin: (parts, { human }) => pin(parts, human),
  date: ({ dates }, { name, value }) => void dates.set(name, value),
  extend: ({ extensions }, { name, app, until }) => void extensions.set(`${name} ${app}`, until),
  'end-extension': ({ extensions }, { name, app }) => void extensions.delete(`${name} ${app}`),
};

function applyTo(parts: Parts, change: Change): void {
  // the table has each kind's own
  (APPLYING[change.kind] as (parts: Parts, change: Change) => void)(parts, change);
}

/** Only what waits can wake, by the first use after a long silence; what was never used before may count or not. */
function useToken(token: TokenNow, at: number): void {
  const silence = token.usedAt === undefined ? Infinity : at - token.usedAt;
  if (silence >= SILENCE) token.woken = { at, isSure: isWaiting(token) && silence !== Infinity };
  token.usedAt = at;
}

/** How the world stands before its first change. */
export function createState(world: World): OracleState {
  const parts = partsOf(world);
  return {
    humans: parts.humans,
    tokensOf: (app) => parts.byApp.get(app) ?? [],
    dateFor(milestone, app) {
      const common = parts.dates.get(milestone) ?? undefined;
      const longer = parts.extensions.get(`${milestone} ${app}`);
      return common === undefined || longer === undefined ? common : Math.max(common, longer);
    },
    apply: (change) => applyTo(parts, change),
    use(id, at) {
      const token = parts.tokens.get(id);
      if (token) useToken(token, at);
    },
  };
}
