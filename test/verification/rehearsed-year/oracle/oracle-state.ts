import type { Milestone } from '../../../../src/store/tables/lifecycle.ts';
import { DAY } from '../world/calendar.ts';
import { type Change, type Human, KNOWN_SINCE, type World, type WorldToken, zoneOf } from '../world/world.ts';

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
  /** Since when it has been as it is: what was never used may be used unseen for a while. */
  changedAt: number;
  woken: Awakening | undefined;
  diedAt: number | undefined;
}

export interface HumanNow {
  id: string;
  zone: string;
  /** In lower case. */
  address: string | undefined;
  /** By app. */
  holds: Map<string, TokenNow[]>;
  owned: string[];
  /** When something last happened that need not wait for a morning. */
  happenedAt: number;
}

export interface OracleState {
  humans: ReadonlyMap<string, HumanNow>;
  tokensOf(app: string): readonly TokenNow[];
  dateFor(milestone: Milestone, app: string): number | undefined;
  /** When what decides that date was last set or ended; undefined where that never happened. */
  changedAt(milestone: Milestone, app: string): number | undefined;
  apply(change: Change): void;
  use(token: string, at: number): void;
}

const FATAL: readonly string[] = ['refused', 'lost', 'superseded'];

/** After so long nobody expects a token to be used; the last use is kept to the day, so a day more or less is not told. */
const SILENCE = { possible: 29 * DAY, sure: 31 * DAY };

export const isWaiting = ({ state }: TokenNow): boolean =>
  state === 'unmapped' || state === 'reauthorization_required';

interface Parts {
  humans: Map<string, HumanNow>;
  accounts: Set<string>;
  tokens: Map<string, TokenNow>;
  byApp: Map<string, TokenNow[]>;
  dates: Map<string, number | null>;
  extensions: Map<string, number>;
  /** When a date was last set, by its name, and when an extension last ended, by the name and the app. */
  changes: Map<string, number>;
}

function tokenNow(token: WorldToken, accounts: ReadonlySet<string>): TokenNow {
  const { app, human, state, lastUsedAt, died } = token;
  const isPinned = human !== undefined && accounts.has(human);
  const diedAt = died && FATAL.includes(died.cause) ? died.at : undefined;
  return {
    app,
    human,
    state,
    isPinned,
    usedAt: lastUsedAt,
    changedAt: KNOWN_SINCE,
    woken: undefined,
    diedAt,
  };
}

function humanNow({ id, zone, email }: Human): HumanNow {
  return {
    id,
    zone: zoneOf(zone),
    address: email?.toLowerCase(),
    holds: new Map(),
    owned: [],
    happenedAt: 0,
  };
}

function hold(human: HumanNow | undefined, token: TokenNow): void {
  const own = human?.holds.get(token.app);
  if (own) own.push(token);
  else human?.holds.set(token.app, [token]);
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
    hold(humans.get(token.human ?? ''), token);
  }
  for (const { clientId, owner } of world.apps) humans.get(owner?.human ?? '')?.owned.push(clientId);
  return { humans, accounts, tokens, byApp, dates: new Map(), extensions: new Map(), changes: new Map() };
}

const pairOf = ({ humans }: Parts, { human, app }: { human: string; app: string }): TokenNow[] =>
  (humans.get(human)?.holds.get(app) ?? []).filter((token) => token.isPinned);

function connect(token: TokenNow, at: number): void {
  if (token.state === 'ended') return;
  token.changedAt = at;
  token.state = 'active';
  token.diedAt = undefined;
  if (token.woken) token.woken.isSure = false;
}

function lose({ humans }: Parts, token: TokenNow, { at, cause }: { at: number; cause: string }): void {
  if (token.state !== 'active') return;
  token.state = 'reauthorization_required';
  token.changedAt = at;
  token.diedAt = FATAL.includes(cause) ? at : undefined;
  happen(humans.get(token.human ?? ''), at);
}

function happen(human: HumanNow | undefined, at: number): void {
  if (human) human.happenedAt = Math.max(human.happenedAt, at);
}

function signUp({ humans, accounts }: Parts, { human, zone }: { human: string; zone: string }): void {
  accounts.add(human);
  const known = humans.get(human);
  if (known) known.zone = zoneOf(zone);
}

function pinToken(token: TokenNow, at: number): void {
  if (!token.isPinned) token.changedAt = at;
  token.isPinned = true;
}

function pin({ humans, accounts }: Parts, { human, at }: { human: string; at: number }): void {
  if (!accounts.has(human)) return;
  for (const tokens of humans.get(human)?.holds.values() ?? [])
    for (const token of tokens) pinToken(token, at);
}

function revoke({ tokens }: Parts, id: string): void {
  const token = tokens.get(id);
  if (token) token.state = 'ended';
}

function migrate({ byApp }: Parts, app: string): void {
  for (const token of byApp.get(app) ?? []) if (token.isPinned) token.state = 'ended';
}

function setDate({ dates, changes }: Parts, { name, value, at }: Of<'date'>): void {
  dates.set(name, value);
  changes.set(name, at);
}

/** Whoever is given another time has the one before no more. */
function endExtension(
  { extensions, changes }: Parts,
  { name, app, at }: Of<'extend' | 'end-extension'>,
): void {
  if (extensions.delete(`${name} ${app}`)) changes.set(`${name} ${app}`, at);
}

function extend(parts: Parts, change: Of<'extend'>): void {
  endExtension(parts, change);
  parts.extensions.set(`${change.name} ${change.app}`, change.until);
}

type Of<Kind extends Change['kind']> = Extract<Change, { kind: Kind }>;

type Applying = { [K in Change['kind']]: (parts: Parts, change: Of<K>) => void };

const APPLYING: Applying = {
  act: (parts, change) => pairOf(parts, change).forEach((token) => connect(token, change.at)),
  die: (parts, change) => pairOf(parts, change).forEach((token) => lose(parts, token, change)),
  revoke: (parts, { token }) => revoke(parts, token),
  migrate: (parts, { app }) => migrate(parts, app),
  'sign-up': signUp,
  pin,
  date: setDate,
  extend,
  'end-extension': endExtension,
};

function applyTo(parts: Parts, change: Change): void {
  // the table has each kind's own
  (APPLYING[change.kind] as (parts: Parts, change: Change) => void)(parts, change);
}

/** Only what waits can wake, by the first use after a long silence; what was never used before may count or not. */
function useToken({ humans }: Parts, token: TokenNow, at: number): void {
  const silence = token.usedAt === undefined ? Infinity : at - token.usedAt;
  if (silence >= SILENCE.possible) {
    const isSure = isWaiting(token) && silence >= SILENCE.sure && silence !== Infinity;
    token.woken = { at, isSure };
    happen(humans.get(token.human ?? ''), at);
  }
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
    changedAt(milestone, app) {
      const known = [milestone, `${milestone} ${app}`].flatMap((name) => parts.changes.get(name) ?? []);
      return known.length === 0 ? undefined : Math.max(...known);
    },
    apply: (change) => applyTo(parts, change),
    use(id, at) {
      const token = parts.tokens.get(id);
      if (token) useToken(parts, token, at);
    },
  };
}
