import { z } from 'zod';
import { type Connection, openConnection } from './connection.ts';
import { type HttpAnswer, jsonObject, retryAfterOf, send } from './http-client.ts';
import { Unavailable } from './outcomes.ts';
import { type Budget, type BudgetWindow, budgetOf } from './rate-budget.ts';
import type { Takers } from './places.ts';
import { takeWritePlace } from './slots.ts';

/**
 * Reads of the modern main API (specification 4.1): one POST with a query text and its variables. Only the fields that
 * the old answers are built from are asked for (modern-api 1.3).
 */

const channel = z.object({
  id: z.string(),
  organizationId: z.string(),
  name: z.string(),
  displayName: z.string().nullish(),
  descriptor: z.string(),
  service: z.string(),
  serviceId: z.string(),
  type: z.string(),
  avatar: z.string(),
  timezone: z.string(),
  isDisconnected: z.boolean(),
  isLocked: z.boolean(),
  isQueuePaused: z.boolean(),
  postingSchedule: z.array(z.object({ day: z.string(), times: z.array(z.string()) })),
  createdAt: z.string(),
});

const account = z.object({
  id: z.string().min(1),
  email: z.string(),
  name: z.string().nullish(),
  timezone: z.string().nullish(),
  createdAt: z.string().nullish(),
  preferences: z.object({ timeFormat: z.string().nullish(), startOfWeek: z.string().nullish() }).nullish(),
  organizations: z.array(z.object({ id: z.string() })),
});

type Channel = z.infer<typeof channel>;
export type ModernAccount = z.infer<typeof account>;

/** Everything the old reads need: the account and the channels of the organizations that were asked for. */
export interface AccountReading {
  account: ModernAccount;
  channels: Channel[];
}

/** The main API refused the access token (specification 7, 401). */
export class Unauthorized extends Error {
  override readonly name = 'Unauthorized';
}

/** An organization that was asked for is no longer the account's. */
export class OrganizationGone extends Error {
  override readonly name = 'OrganizationGone';
}

/** The grant's scopes do not cover the read. */
export class Forbidden extends Error {
  override readonly name = 'Forbidden';
}

const ACCOUNT_FIELDS =
  'account { id email name timezone createdAt preferences { timeFormat startOfWeek } organizations { id } }';

const CHANNEL_FIELDS =
  'id organizationId name displayName descriptor service serviceId type avatar timezone isDisconnected isLocked isQueuePaused createdAt postingSchedule { day times }';

/** One request for the account and the channels of the given organizations, each under an alias of its own. */
function readingRequest(organizationIds: readonly string[]): string {
  const parameters = organizationIds.map((_, i) => `$o${i}: ChannelsInput!`).join(', ');
  const fields = organizationIds.map((_, i) => `o${i}: channels(input: $o${i}) { ${CHANNEL_FIELDS} }`);
  const query = `query Read${parameters && `(${parameters})`} { ${[ACCOUNT_FIELDS, ...fields].join(' ')} }`;
  const variables = Object.fromEntries(
    organizationIds.map((organizationId, i) => [`o${i}`, { organizationId }]),
  );
  return JSON.stringify({ query, variables });
}

const graphqlErrors = z.array(z.object({ extensions: z.object({ code: z.string().optional() }).optional() }));

function refusalCodes(answer: HttpAnswer): Array<string | undefined> {
  const errors = graphqlErrors.safeParse(jsonObject(answer)?.['errors']);
  return errors.success ? errors.data.map((error) => error.extensions?.code) : [];
}

/**
 * Throws what an answer to a read refuses.
 * @throws {Unauthorized | Forbidden | OrganizationGone | Unavailable}
 */
export function throwRefusal(answer: HttpAnswer, now: number): void {
  const codes = refusalCodes(answer);
  if (answer.status === 401 || codes.includes('UNAUTHENTICATED') || codes.includes('UNAUTHORIZED')) {
    throw new Unauthorized('the main API refused the access token');
  }
  const retryAfter = retryAfterOf(answer, now);
  if (answer.status !== 200) {
    throw new Unavailable(
      `the main API answered ${answer.status}`,
      retryAfter === undefined ? {} : { retryAfter },
    );
  }
  if (codes.includes('FORBIDDEN')) throw new Forbidden('the grant does not cover the read');
  if (codes.includes('NOT_FOUND')) throw new OrganizationGone('an organization is gone');
}

function processReading(answer: HttpAnswer, now: number): AccountReading {
  throwRefusal(answer, now);
  const { account: accountData, ...aliases } = (jsonObject(answer)?.['data'] ?? {}) as Record<
    string,
    unknown
  >;
  const parsed = z
    .object({ account, channels: z.array(channel) })
    .safeParse({ account: accountData, channels: Object.values(aliases).flat() });
  if (!parsed.success)
    throw new Unavailable('the main API answered in an unknown shape', { cause: parsed.error });
  return parsed.data;
}

export interface MainApi {
  /**
   * The account, and the channels of the given organizations in their order.
   * @throws {Unauthorized | Forbidden | OrganizationGone | Unavailable}
   */
  read(accessToken: string, organizationIds: readonly string[]): Promise<AccountReading>;
  /**
   * Sends one document that only reads; the whole answer, whatever it says.
   * @throws {Unavailable}
   */
  ask(accessToken: string, body: string): Promise<HttpAnswer>;
  /**
   * How many requests are left in the tightest window beside those under way; infinitely many while this process was not
   * told.
   */
  remaining(): number;
  /** Opens the connection that one write of these takers will use; nothing is sent. @throws {Unavailable} */
  connect(takers: Takers): Promise<Connection>;
  /**
   * Sends one document on a connection of its own, never twice, whatever the budget says; the whole answer.
   * @throws {Error} no whole answer came, which proves nothing about what arrived
   */
  sendOnce(connection: Connection, accessToken: string, body: string): Promise<HttpAnswer>;
  /** The share of the budget that is left, 0 to 1; 1 while the main API says nothing of one. */
  remainingShare(): number;
  /** Every window as this process was last told of it; none while it was not told. */
  windows(): OpenWindow[];
  /** What this process knows of the client's budget, heard itself or learned. */
  budget(): KnownBudget;
  /** Takes over what another process heard: the newer share, the longer pause. */
  learn(heard: KnownBudget): void;
}

/** What the main API last said of the client's budget; times are Unix milliseconds, 0 while it said nothing. */
export interface KnownBudget {
  share: number;
  saidAt: number;
  validUntil: number;
  pausedUntil: number;
  /** Every window as it stood at `saidAt`. */
  windows: readonly BudgetWindow[];
}

/** One window of the budget now. */
export interface OpenWindow {
  /** The same in every answer. */
  name: string;
  /** How many requests are left beside those under way; infinitely many where it opened again since it was told of. */
  left: number;
  /** When it opens again, in Unix milliseconds; at the latest, where it has done so since it was told of. */
  until: number;
}

function requestTo(url: string, accessToken: string, body: string) {
  const headers = { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' };
  return { method: 'POST', url, headers, body } as const;
}

/** What an answer left over, and which request it answered: answers overtake each other. */
interface Told {
  left: number;
  until: number;
  request: number;
}

/** An answer to an earlier request is out of date where it says that more is left. */
function newer(told: Told, heard: Told, now: number): Told {
  const isOutOfDate = heard.request < told.request && heard.left > told.left && told.until > now;
  return isOutOfDate ? told : heard;
}

const NOTHING_TOLD: Told = { left: Number.POSITIVE_INFINITY, until: 0, request: 0 };

/** Where the policy tells no length, the tightest window stands for all. */
function windowsIn({ windows, left, validMs }: Budget): BudgetWindow[] {
  return windows.length > 0 ? [...windows] : [{ limit: 0, left, seconds: validMs / 1000, validMs }];
}

/** Every window of a budget for itself, as the newest answers told it. */
function createWindows(clock: { now(): number }) {
  const all = new Map<string, { told: Told; milliseconds: number }>();
  return {
    obey(budget: Budget, request: number): void {
      const now = clock.now();
      for (const { limit, seconds, left, validMs } of windowsIn(budget)) {
        const name = limit > 0 ? `${limit} in ${seconds}` : '';
        const known = all.get(name)?.told ?? NOTHING_TOLD;
        const told = newer(known, { left, until: now + validMs, request }, now);
        all.set(name, { told, milliseconds: seconds * 1000 });
      }
    },
    list(underWay: number): OpenWindow[] {
      const now = clock.now();
      return [...all].map(([name, { told, milliseconds }]) =>
        told.until > now
          ? { name, left: told.left - underWay, until: told.until }
          : { name, left: Number.POSITIVE_INFINITY, until: now + milliseconds },
      );
    },
  };
}

/** What is known of a client's budget: heard from its own answers, or learned from other processes. */
function createBudget(clock: { now(): number }) {
  let known: KnownBudget = { share: 1, saidAt: 0, validUntil: 0, pausedUntil: 0, windows: [] };
  let told = NOTHING_TOLD;
  const windows = createWindows(clock);
  let requests = 0;
  let underWay = 0;
  const obey = (answer: HttpAnswer, request: number): void => {
    const now = clock.now();
    const budget = budgetOf(answer);
    if (budget) told = newer(told, { left: budget.left, until: now + budget.validMs, request }, now);
    if (budget) {
      const { share, validMs } = budget;
      known = { ...known, share, saidAt: now, validUntil: now + validMs, windows: budget.windows };
      windows.obey(budget, request);
    }
    const asked = answer.status === 429 ? (retryAfterOf(answer, now) ?? 1000) : 0;
    const wait = Math.max(asked, budget?.waitMs ?? 0);
    if (wait > 0) known = { ...known, pausedUntil: Math.max(known.pausedUntil, now + wait) };
  };
  return {
    remaining: () => (clock.now() < told.until ? told.left - underWay : Number.POSITIVE_INFINITY),
    remainingShare: () => (clock.now() < known.validUntil ? known.share : 1),
    windows: () => windows.list(underWay),
    budget: () => known,
    learn: (heard: KnownBudget): void => {
      const newest = heard.saidAt > known.saidAt ? heard : known;
      known = { ...newest, pausedUntil: Math.max(known.pausedUntil, heard.pausedUntil) };
    },
    /** Sends one request, counts it while it is under way, and obeys its answer. */
    spend: async (ask: () => Promise<HttpAnswer>): Promise<HttpAnswer> => {
      const request = ++requests;
      underWay += 1;
      try {
        const answer = await ask();
        obey(answer, request);
        return answer;
      } finally {
        underWay -= 1;
      }
    },
  };
}

/** The main API at `apiUrl`. Its `RateLimit` and `Retry-After` are obeyed by not asking before the time they name. */
export function createMainApi(apiUrl: string, clock: { now(): number }): MainApi {
  const { spend, ...budget } = createBudget(clock);

  const ask = async (accessToken: string, body: string): Promise<HttpAnswer> => {
    const retryAfter = budget.budget().pausedUntil - clock.now();
    if (retryAfter > 0) throw new Unavailable('the main API asked to wait', { retryAfter });
    const request = () => send(requestTo(apiUrl, accessToken, body));
    return spend(request).catch((cause: unknown) => {
      throw new Unavailable('the main API did not answer', { cause });
    });
  };

  return {
    ...budget,
    ask,
    connect: (takers) => openConnection(apiUrl, () => takeWritePlace(takers)),
    sendOnce: (connection, accessToken, body) =>
      spend(() => send({ ...requestTo(apiUrl, accessToken, body), connection })),
    async read(accessToken, organizationIds) {
      const answer = await ask(accessToken, readingRequest(organizationIds));
      return processReading(answer, clock.now());
    },
  };
}
