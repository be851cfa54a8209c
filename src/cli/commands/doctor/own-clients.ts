import type { Config, UpstreamConfig } from '../../../config/config.ts';
import { callbackPathOf } from '../../../domain/grants/modern-client.ts';
import { chunksOf } from '../../../shared/chunks-of.ts';
import type { ClientInUse } from '../../../store/apps/modern-clients.ts';
import { beginAuthorization } from '../../../upstream/authorization-server.ts';
import { faultOfBeginning } from '../../../upstream/prove-client.ts';
import { notLookedAt, ok, type CheckVerdict, warning } from '../../../domain/checks/verdict.ts';
import { CLIENTS_ASKED, type InstanceLookup } from './database-checks.ts';
import type { TimeRecorder } from './modern-checks.ts';
import { proving } from './verdict.ts';

/**
 * Whether consents of apps with a client of their own would begin. Only the owner of such a client registers redirect
 * URIs for it, so a new PUBLIC_URL stops these consents one app at a time, and nothing else would tell.
 */

interface OwnClientQuestions {
  find: InstanceLookup;
  hear: TimeRecorder;
}

type AskOne = (client: ClientInUse) => Promise<{ status: number; words: string | undefined }>;

/** Asks for one client as `redirect URI` does for that of the bridge; no secret is sent. */
function askingWith({ publicUrl }: Config, { authUrl }: UpstreamConfig, hear: TimeRecorder): AskOne {
  return async ({ id, secret_sealed: secret, scopes, client_id: clientId, app_name: name }) => {
    const redirectUri = publicUrl + callbackPathOf(clientId, secret === null);
    const use = { redirectUri, scope: scopes };
    const answer = await hear(authUrl, () => beginAuthorization(authUrl, { clientId: id }, use));
    const fault = faultOfBeginning(answer, use);
    const why = fault?.at === 'authorization' ? `, which answers ${fault.error}` : '';
    return { status: answer.status, words: fault && `“${name}” (${clientId}): ${redirectUri}${why}` };
  };
}

/** So many questions are under way at a time. */
const AT_ONCE = 5;

async function askAll(clients: readonly ClientInUse[], ask: AskOne) {
  const answers: Array<Awaited<ReturnType<AskOne>>> = [];
  for (const some of chunksOf(clients, AT_ONCE)) answers.push(...(await Promise.all(some.map(ask))));
  return answers;
}

/** A refused client concerns one app, whose owner alone can mend it: a warning, and no failure. */
export async function checkOwnClients(
  config: Config,
  upstream: UpstreamConfig,
  { find, hear }: OwnClientQuestions,
): Promise<CheckVerdict> {
  const instance = await find();
  if (typeof instance === 'string') return notLookedAt('there is no database yet');
  const { ownClients } = instance;
  if (ownClients.length === 0) return notLookedAt('no app uses a client of its own');
  const asked = ownClients.slice(0, CLIENTS_ASKED);
  const ask = askingWith(config, upstream, hear);
  const found = await proving(
    { server: `MODERN_AUTH_URL: ${upstream.authUrl}`, subject: 'own clients of apps' },
    askAll(asked, ask),
  );
  if (found.some(({ status }) => status === 404)) return notLookedAt('see the check redirect URI');
  const refused = found.flatMap(({ words }) => words ?? []);
  const isMore = ownClients.length > asked.length;
  const which = isMore ? ', those entered last' : '';
  if (refused.length === 0)
    return ok(
      `own clients of apps: ${asked.length} in use${which}. An authorization with each leads to a sign-in`,
    );
  return warning(
    `PUBLIC_URL: the authorization server refuses ${refused.length} of ${asked.length} own clients of apps${which}. Nobody can connect ${refused.join('; ')}. The owner registers exactly this redirect URI there, or enters another client on the page of the app`,
  );
}
