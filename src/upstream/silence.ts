import type { AuthorizationServer } from './authorization-server.ts';
import type { MainApi } from './main-api.ts';
import type { OldBackend } from './old-backend.ts';
import { Unavailable } from './outcomes.ts';

/**
 * A restored copy sends no data to the new API or the old API (docs/decisions/0010). Every method that would send, or
 * open a connection, fails as unavailable first. The methods are named one by one, so that a new method cannot slip
 * past.
 */

/** Why sending is forbidden now, in words; undefined when sending is allowed. */
export type SilenceCheck = () => string | undefined;

function guarding(silence: SilenceCheck) {
  return <Parts extends unknown[], Answer>(send: (...parts: Parts) => Promise<Answer>) =>
    async (...parts: Parts): Promise<Answer> => {
      const why = silence();
      if (why !== undefined)
        throw new Unavailable(`the bridge sends nothing to the new API and the old API: ${why}`);
      return send(...parts);
    };
}

/** The authorization server for a bridge that may have to be silent. */
export function silencedServer(server: AuthorizationServer, silence: SilenceCheck): AuthorizationServer {
  const guarded = guarding(silence);
  return {
    clientId: server.clientId,
    authorizationUrl: server.authorizationUrl,
    metadata: guarded(() => server.metadata()),
    knownMetadata: () => server.knownMetadata(),
    answers: guarded(() => server.answers()),
    connect: guarded((isWanted) => server.connect(isWanted)),
    connectForExchange: guarded(() => server.connectForExchange()),
    exchangeCode: guarded((connection, code) => server.exchangeCode(connection, code)),
    refresh: guarded((connection, presented) => server.refresh(connection, presented)),
    isLive: guarded((refreshToken, trace) => server.isLive(refreshToken, trace)),
    revoke: guarded((refreshToken) => server.revoke(refreshToken)),
    prove: guarded((client, use) => server.prove(client, use)),
  };
}

/** The main API for such a bridge. Methods about the known budget send no call and stay open. */
export function silencedMainApi(mainApi: MainApi, silence: SilenceCheck): MainApi {
  const guarded = guarding(silence);
  return {
    read: guarded((accessToken, organizationIds, options) =>
      mainApi.read(accessToken, organizationIds, options),
    ),
    ask: guarded((accessToken, body, options) => mainApi.ask(accessToken, body, options)),
    connect: guarded((takers) => mainApi.connect(takers)),
    sendOnce: guarded((connection, accessToken, body) => mainApi.sendOnce(connection, accessToken, body)),
    remainingShare: () => mainApi.remainingShare(),
    reopensAt: () => mainApi.reopensAt(),
    windows: () => mainApi.windows(),
    budget: () => mainApi.budget(),
    pausedUntil: () => mainApi.pausedUntil(),
    askFirst: () => mainApi.askFirst(),
    takeTurn: () => mainApi.takeTurn(),
    learn: (heard) => mainApi.learn(heard),
  };
}

/** The old API for such a bridge: a token that a copy ended there would also end for the original. */
export function silencedOldBackend(backend: OldBackend, silence: SilenceCheck): OldBackend {
  const guarded = guarding(silence);
  return {
    pass: guarded((call) => backend.pass(call)),
    read: guarded((path, token, trace) => backend.read(path, token, trace)),
    deauthorize: guarded((token, trace) => backend.deauthorize(token, trace)),
  };
}
