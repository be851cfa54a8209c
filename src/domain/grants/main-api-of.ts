import type { TraceContext } from '../../shared/trace/trace-context.ts';
import type { MainApi } from '../../upstream/main-api.ts';
import type { GrantsDeps } from './deps.ts';
import type { GrantClient } from './grant-client.ts';

/** The main API for calls that belong to a trace. */
function withTrace(mainApi: MainApi, trace: TraceContext): MainApi {
  return {
    ...mainApi,
    read: (accessToken, organizationIds, options) =>
      mainApi.read(accessToken, organizationIds, { ...options, trace }),
    ask: (accessToken, body, options) => mainApi.ask(accessToken, body, { ...options, trace }),
    connect: async (takers) => ({ ...(await mainApi.connect(takers)), trace }),
  };
}

/** The main API for calls with a grant, on behalf of the request that needs them. */
export function mainApiOf(
  { sides }: Pick<GrantsDeps, 'sides'>,
  { modernClientId, calling }: Pick<GrantClient, 'modernClientId' | 'calling'>,
): MainApi {
  const mainApi = sides.mainApiFor(modernClientId);
  return calling?.trace ? withTrace(mainApi, calling.trace) : mainApi;
}
