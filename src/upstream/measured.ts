import type { UpstreamMetrics } from '../shared/metrics/upstream-metrics.ts';
import type { TraceContext } from '../shared/trace/trace-context.ts';
import { beginCall, type TraceRecorder } from '../shared/trace/tracing.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import type { HttpAnswer } from './http-client.ts';
import { Forbidden, type MainApi, OrganizationGone, Unauthorized } from './main-api.ts';
import type { OldBackend } from './old-backend.ts';
import { NotSent, Rejected, Unavailable } from './outcomes.ts';
import { NoFreePlace } from './concurrency-limit.ts';

/**
 * Times every call to the new API and to the old API, and counts its outcome. Where traces are recorded, every call is a span
 * too.
 */

type UpstreamNote = Parameters<UpstreamMetrics['note']>[0];
type Outcome = UpstreamNote['outcome'];

/** The outcome that the status of an answer shows; undefined below 400. */
function outcomeOfStatus(status: number): Outcome | undefined {
  if (status === 429) return 'limited';
  if (status >= 500) return 'failed';
  return status >= 400 ? 'refused' : undefined;
}

const REFUSALS = [Rejected, Unauthorized, Forbidden, OrganizationGone];

/** Without an answer, or with one that cannot be used, a call has failed. */
function outcomeOfError(error: unknown): Outcome {
  if (REFUSALS.some((kind) => error instanceof kind)) return 'refused';
  const status = error instanceof Unavailable ? error.status : undefined;
  return (status !== undefined && outcomeOfStatus(status)) || 'failed';
}

function outcomeOfAnswer(answer: unknown): Outcome {
  const { status = 200 } = (answer ?? {}) as Partial<HttpAnswer>;
  return outcomeOfStatus(status) ?? 'answered';
}

const isUnsent = (error: unknown) => error instanceof NotSent || error instanceof NoFreePlace;

/** The work gets the trace that its request has to name. */
type TracedWork<Answer> = (trace: TraceContext | undefined) => Promise<Answer>;

interface MeasuredCall {
  /** What the spans are called. */
  name: string;
  trace: TraceContext | undefined;
  note: (outcome: Outcome, milliseconds: number) => void;
}

/** Runs work as one span, and tells its outcome and time. */
async function measured<Answer>(
  tracing: TraceRecorder | undefined,
  { name, trace, note }: MeasuredCall,
  work: TracedWork<Answer>,
): Promise<Answer> {
  const startedAt = performance.now();
  const span = beginCall(tracing, name, trace);
  const end = (outcome: Outcome | 'not sent') => {
    if (outcome !== 'not sent') note(outcome, performance.now() - startedAt);
    const isFailed = outcome === 'failed' || outcome === 'not sent';
    span?.end({ isFailed, attributes: { 'grantbridge.outcome': outcome } });
  };
  try {
    const answer = await work(span?.trace ?? trace);
    end(outcomeOfAnswer(answer));
    return answer;
  } catch (error) {
    end(isUnsent(error) ? 'not sent' : outcomeOfError(error));
    throw error;
  }
}

interface Observers {
  metrics: UpstreamMetrics;
  tracing: TraceRecorder | undefined;
}

function timing({ metrics, tracing }: Observers) {
  return <Answer>(
    call: UpstreamNote['call'],
    trace: TraceContext | undefined,
    work: TracedWork<Answer>,
  ): Promise<Answer> => {
    const note = (outcome: Outcome, milliseconds: number) => metrics.note({ call, outcome, milliseconds });
    return measured(tracing, { name: `new API ${call}`, trace, note }, work);
  };
}

/** No breaker tells of an exchange whose connection does not come about, as one does for refreshes. */
async function countFailure<Result>(metrics: UpstreamMetrics, open: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  try {
    return await open();
  } catch (error) {
    metrics.note({ call: 'exchange', outcome: 'failed', milliseconds: performance.now() - startedAt });
    throw error;
  }
}

/**
 * The authorization server, with its token calls measured. The time of an exchange or a refresh is that of the server: it
 * begins when the connection is open.
 */
export function measuredServer(server: AuthorizationServer, observers: Observers): AuthorizationServer {
  const time = timing(observers);
  const { metrics } = observers;
  return {
    ...server,
    connectForExchange: () => countFailure(metrics, () => server.connectForExchange()),
    exchangeCode: (connection, code) =>
      time('exchange', code.trace, (trace) => server.exchangeCode(connection, { ...code, trace })),
    refresh: (connection, presented) =>
      time('refresh', connection.trace, (trace) => server.refresh({ ...connection, trace }, presented)),
    isLive: (refreshToken, within) =>
      time('introspect', within, (trace) => server.isLive(refreshToken, trace)),
    revoke: (refreshToken) => time('revoke', undefined, () => server.revoke(refreshToken)),
  };
}

/** The main API, with its calls measured. */
export function measuredMainApi(mainApi: MainApi, observers: Observers): MainApi {
  const time = timing(observers);
  return {
    ...mainApi,
    read: (accessToken, organizationIds, options) =>
      time('read', options?.trace, (trace) =>
        mainApi.read(accessToken, organizationIds, { ...options, trace }),
      ),
    ask: (accessToken, body, options) =>
      time('read', options?.trace, (trace) => mainApi.ask(accessToken, body, { ...options, trace })),
    sendOnce: (connection, accessToken, body) =>
      time('write', connection.trace, (trace) =>
        mainApi.sendOnce({ ...connection, trace }, accessToken, body),
      ),
  };
}

/**
 * The old API, with its calls measured. The time of a passed call begins with its wait for a place. A question of the bridge
 * itself that the old API refuses counts as answered.
 */
export function measuredOldBackend(backend: OldBackend, { metrics, tracing }: Observers): OldBackend {
  const note = (outcome: Outcome, milliseconds: number) => metrics.noteOldApi({ outcome, milliseconds });
  const time = <Answer>(trace: TraceContext | undefined, work: TracedWork<Answer>): Promise<Answer> =>
    measured(tracing, { name: 'old API call', trace, note }, work);
  return {
    pass: (call) => time(call.trace, (trace) => backend.pass({ ...call, trace })),
    read: (path, token, within) => time(within, (trace) => backend.read(path, token, trace)),
    deauthorize: (token, within) => time(within, (trace) => backend.deauthorize(token, trace)),
  };
}
