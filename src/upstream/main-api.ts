import { z } from 'zod';
import type { TraceContext } from '../shared/trace/trace-context.ts';
import { madeOnce } from '../shared/memory/made-once.ts';
import { type Breaker, BreakerOpen, type GuardedCall } from './breaker.ts';
import { type Connection, openConnection } from './connection.ts';
import { type HttpAnswer, jsonObject, retryAfterOf, send } from './http-client.ts';
import { createBudget, type KnownBudget, type OpenWindow } from './known-budget.ts';
import { NotSent, Unavailable } from './outcomes.ts';
import type { Takers } from './concurrency-limit.ts';
import { takeWritePlace } from './token-endpoint-limit.ts';

/**
 * Reads of the main API: one POST with a query text and its variables. The query asks only for the fields that the old
 * answers need.
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
  postingSchedule: z.array(
    z.object({ day: z.string(), times: z.array(z.string()), paused: z.boolean().optional() }),
  ),
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

const readingSchema = z.object({ account, channels: z.array(channel) });

type Channel = z.infer<typeof channel>;
export type ModernAccount = z.infer<typeof account>;

/** The data for the old reads: the account, and the channels of the requested organizations. */
export interface AccountReading {
  account: ModernAccount;
  channels: Channel[];
}

/** The main API refused the access token (RFC 6750 §3.1). */
export class Unauthorized extends Error {
  override readonly name = 'Unauthorized';
}

/** A requested organization no longer belongs to the account. */
export class OrganizationGone extends Error {
  override readonly name = 'OrganizationGone';
}

/** The grant's scopes do not cover the read, or its account may not read what was asked for. */
export class Forbidden extends Error {
  override readonly name = 'Forbidden';
}

/** Whether the main API does not show what was asked for to the account of the grant. */
export function isNotShown(error: unknown): error is OrganizationGone | Forbidden {
  return error instanceof OrganizationGone || error instanceof Forbidden;
}

const ACCOUNT_FIELDS =
  'account { id email name timezone createdAt preferences { timeFormat startOfWeek } organizations { id } }';

const CHANNEL_FIELDS =
  'id organizationId name displayName descriptor service serviceId type avatar timezone isDisconnected isLocked isQueuePaused createdAt postingSchedule { day times paused }';

function newReadingQuery(organizations: number): string {
  const aliases = Array.from({ length: organizations }, (_, i) => `o${i}`);
  const parameters = aliases.map((alias) => `$${alias}: ChannelsInput!`).join(', ');
  const fields = aliases.map((alias) => `${alias}: channels(input: $${alias}) { ${CHANNEL_FIELDS} }`);
  return `query Read${parameters && `(${parameters})`} { ${[ACCOUNT_FIELDS, ...fields].join(' ')} }`;
}

/** The query as JSON, by the number of organizations, of which one request has few. */
const readingQueries = new Map<number, string>();

/** One request for the account and the channels of the given organizations, each under its own alias. */
function readingRequest(organizationIds: readonly string[]): string {
  const query = madeOnce(readingQueries, organizationIds.length, () =>
    JSON.stringify(newReadingQuery(organizationIds.length)),
  );
  const variables = organizationIds.map((id, i) => `"o${i}":{"organizationId":${JSON.stringify(id)}}`);
  return `{"query":${query},"variables":{${variables.join(',')}}}`;
}

/** A path or a code in an odd form must not hide the codes of the other errors. */
const graphqlErrors = z.array(
  z.object({
    path: z
      .array(z.union([z.string(), z.number()]))
      .nullish()
      .catch(undefined),
    extensions: z.object({ code: z.string().optional() }).nullish().catch(undefined),
  }),
);

type AnswerDocument = ReturnType<typeof jsonObject>;
type AnswerErrors = z.infer<typeof graphqlErrors>;

const NO_ERRORS: AnswerErrors = [];

function errorsIn(document: AnswerDocument): AnswerErrors {
  if (document?.['errors'] === undefined) return NO_ERRORS;
  return graphqlErrors.safeParse(document['errors']).data ?? NO_ERRORS;
}

/** Whether an answer names errors, in whatever form. No errors may be written as `null` or as an empty list too. */
export function namesErrors(document: AnswerDocument): boolean {
  const errors = document?.['errors'] ?? [];
  return !Array.isArray(errors) || errors.length > 0;
}

/** The place of a whole list of posts in an answer. */
const WHOLE_LIST = 'posts.edges';

/** Whether an error is about what was asked for, and not about a part of it, such as one post of a list. */
const isAboutAll = ({ path }: AnswerErrors[number]) =>
  (path?.length ?? 0) < 2 || path?.join('.') === WHOLE_LIST;

const hasCode = (errors: AnswerErrors, ...codes: string[]) =>
  errors.some(({ extensions }) => codes.includes(extensions?.code ?? ''));

/** Whether an answer names an error of this code, wherever its place is. */
export const namesCode = (document: AnswerDocument, code: string) => hasCode(errorsIn(document), code);

/** A part that may not be read can take the whole answer away: then the read was forbidden. */
function throwNotShown(errors: AnswerErrors, data: unknown): void {
  const aboutAll = errors.filter(isAboutAll);
  if (hasCode(data ? aboutAll : errors, 'FORBIDDEN'))
    throw new Forbidden('the main API does not allow the read to the account or the scopes of the grant');
  if (hasCode(aboutAll, 'NOT_FOUND'))
    throw new OrganizationGone('the main API no longer has an organization of the account');
}

/**
 * Throws the refusal in an answer to a read, if any. `document` is the body of the answer, where it was parsed before.
 * @throws {Unauthorized | Forbidden | OrganizationGone | Unavailable}
 */
export function throwRefusal(answer: HttpAnswer, now: number, document = jsonObject(answer)): void {
  const errors = errorsIn(document);
  if (answer.status === 401 || hasCode(errors, 'UNAUTHENTICATED', 'UNAUTHORIZED')) {
    throw new Unauthorized('the main API refused the access token');
  }
  const retryAfter = retryAfterOf(answer, now);
  if (answer.status !== 200) {
    const { status } = answer;
    throw new Unavailable(`the main API answered ${status}`, { status, retryAfter });
  }
  throwNotShown(errors, document?.['data']);
}

function processReading(answer: HttpAnswer, now: number): AccountReading {
  const document = jsonObject(answer);
  throwRefusal(answer, now, document);
  const data = (document?.['data'] ?? {}) as Record<string, unknown>;
  const lists = Object.keys(data).filter((name) => name !== 'account');
  const parsed = readingSchema.safeParse({
    account: data['account'],
    channels: lists.flatMap((name) => data[name]),
  });
  if (!parsed.success)
    throw new Unavailable('the main API answered in an unknown shape', { cause: parsed.error });
  return parsed.data;
}

interface ReadOptions extends Pick<GuardedCall<HttpAnswer>, 'isUrgent'> {
  /** The trace that the read belongs to. */
  trace?: TraceContext | undefined;
}

export interface MainApi {
  /**
   * The account, and the channels of the given organizations in their order. An urgent read is sent even while the
   * breaker before reads is open.
   * @throws {Unauthorized | Forbidden | OrganizationGone | Unavailable}
   */
  read(
    accessToken: string,
    organizationIds: readonly string[],
    options?: ReadOptions,
  ): Promise<AccountReading>;
  /**
   * Sends one read-only document, unless the breaker before reads is open; returns the whole answer, whatever the
   * content.
   * @throws {Unavailable}
   */
  ask(accessToken: string, body: string, options?: ReadOptions): Promise<HttpAnswer>;
  /** Opens the connection for one write of these takers; nothing is sent. @throws {Unavailable} */
  connect(takers: Takers): Promise<Connection>;
  /**
   * Sends one document on its own connection, never twice, whatever the budget says; returns the whole answer.
   * @throws {Error} no whole answer came, which proves nothing about what arrived
   */
  sendOnce(connection: Connection, accessToken: string, body: string): Promise<HttpAnswer>;
  /**
   * The share of the budget that is left in the tightest window, 0 to 1; 1 before the main API has reported a window.
   */
  remainingShare(): number;
  /** When the tightest window opens again, in Unix milliseconds; now before the main API has reported a window. */
  reopensAt(): number;
  /** Every window in the last report to this process; empty before the first report. */
  windows(): OpenWindow[];
  /** This process's knowledge of the client's budget, from own answers or learned. */
  budget(): KnownBudget;
  /** Until when no request may be sent, in Unix milliseconds. */
  pausedUntil(): number;
  /**
   * Says that a request is about to be sent. Where nothing was left when the main API last answered, the others wait for the answer
   * to this one. A read says so by itself.
   */
  askFirst(): void;
  /** Takes the turn of the one request that asks whether more is left by now; false while another request has it. */
  takeTurn(): boolean;
  /** Takes over the report to another process: the newer share, the longer pause. */
  learn(heard: KnownBudget): void;
}

function requestTo(url: string, accessToken: string, body: string) {
  const headers = { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' };
  return { method: 'POST', url, headers, body } as const;
}

interface Options {
  apiUrl: string;
  clock: { now(): number };
  /** Before every read. */
  reads: Pick<Breaker<HttpAnswer>, 'run'>;
}

/**
 * The main API at `apiUrl`. `RateLimit` and `Retry-After` are obeyed: no read is sent before the time they name, or before
 * `REST_MAX` is over.
 */
export function createMainApi({ apiUrl, clock, reads }: Options): MainApi {
  const { spend, ...budget } = createBudget(clock);

  const ask: MainApi['ask'] = async (accessToken, body, { trace, ...urgency } = {}) => {
    const retryAfter = budget.pausedUntil() - clock.now();
    if (retryAfter > 0) throw new NotSent('the main API asked the bridge to wait', { retryAfter });
    const request = () => spend(() => send({ ...requestTo(apiUrl, accessToken, body), trace }));
    return reads.run({ ...urgency, of: accessToken, send: request }).catch((cause: unknown) => {
      if (cause instanceof BreakerOpen) throw cause;
      throw new Unavailable('the main API did not answer', { cause });
    });
  };

  return {
    ...budget,
    ask,
    connect: (takers) => openConnection(apiUrl, { take: () => takeWritePlace(takers) }),
    sendOnce: (connection, accessToken, body) =>
      spend(() => send({ ...requestTo(apiUrl, accessToken, body), connection })),
    async read(accessToken, organizationIds, options) {
      const answer = await ask(accessToken, readingRequest(organizationIds), options);
      return processReading(answer, clock.now());
    },
  };
}
