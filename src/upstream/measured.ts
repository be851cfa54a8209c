import type { UpstreamMetrics } from '../shared/metrics/upstream-metrics.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import { BreakerOpen } from './breaker.ts';
import type { HttpAnswer } from './http-client.ts';
import { Forbidden, type MainApi, OrganizationGone, Unauthorized } from './main-api.ts';
import { Rejected } from './outcomes.ts';

/** Times every call to the new API, and counts its outcome. */

type UpstreamNote = Parameters<UpstreamMetrics['note']>[0];

function outcomeOfError(error: unknown): UpstreamNote['outcome'] {
  const isRefused = [Rejected, Unauthorized, Forbidden, OrganizationGone].some(
    (kind) => error instanceof kind,
  );
  return isRefused ? 'refused' : 'failed';
}

function outcomeOfAnswer(answer: unknown): UpstreamNote['outcome'] {
  const { status = 200 } = (answer ?? {}) as Partial<HttpAnswer>;
  if (status === 429) return 'limited';
  if (status >= 500) return 'failed';
  return status >= 400 ? 'refused' : 'answered';
}

function timing({ note }: UpstreamMetrics) {
  return async <Answer>(call: UpstreamNote['call'], work: () => Promise<Answer>): Promise<Answer> => {
    const startedAt = performance.now();
    const end = (outcome: UpstreamNote['outcome']) =>
      note({ call, outcome, milliseconds: performance.now() - startedAt });
    try {
      const answer = await work();
      end(outcomeOfAnswer(answer));
      return answer;
    } catch (error) {
      // An open breaker sends nothing.
      if (!(error instanceof BreakerOpen)) end(outcomeOfError(error));
      throw error;
    }
  };
}

/** The authorization server, with its token calls measured. */
export function measuredServer(server: AuthorizationServer, metrics: UpstreamMetrics): AuthorizationServer {
  const time = timing(metrics);
  return {
    ...server,
    exchangeCode: (code) => time('exchange', () => server.exchangeCode(code)),
    refresh: (connection, presented) => time('refresh', () => server.refresh(connection, presented)),
    isLive: (refreshToken) => time('introspect', () => server.isLive(refreshToken)),
    revoke: (refreshToken) => time('revoke', () => server.revoke(refreshToken)),
  };
}

/** The main API, with its calls measured. */
export function measuredMainApi(mainApi: MainApi, metrics: UpstreamMetrics): MainApi {
  const time = timing(metrics);
  return {
    ...mainApi,
    read: (accessToken, organizationIds, urgency) =>
      time('read', () => mainApi.read(accessToken, organizationIds, urgency)),
    ask: (accessToken, body, urgency) => time('read', () => mainApi.ask(accessToken, body, urgency)),
    sendOnce: (connection, accessToken, body) =>
      time('write', () => mainApi.sendOnce(connection, accessToken, body)),
  };
}
