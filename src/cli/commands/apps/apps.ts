import { isKnownAccount, readAccountId } from '../../../domain/accounts/account-id.ts';
import type { AccountsDeps } from '../../../domain/accounts/deps.ts';
import { callbackProblem } from '../../../domain/apps/callback-rule.ts';
import { registerApp } from '../../../domain/apps/register-app.ts';
import { listApps as findApps, listCallbacks } from '../../../store/apps/apps.ts';
import { describedExtensions, extensionLine } from '../dates/dates.ts';
import type { Result } from '../result.ts';
import { withContext } from '../with-context.ts';

const ONCE = 'The secret and the token are shown only this once. The owner token works after the owner has';

/** An account may be named before it comes. A mistake in the id looks the same. */
const UNKNOWN_OWNER =
  'No account with the id of the owner was known here. If the id is wrong, no owner can manage this app: add it anew.';

async function isOwnerKnown({ store }: AccountsDeps, owner: string): Promise<boolean> {
  const id = await readAccountId(store.durable, owner);
  return id !== undefined && isKnownAccount(store.durable, id);
}

/** `apps add`: registers an app. The secrets are shown this once. */
export async function addApp(options: Record<string, unknown>): Promise<Result> {
  const owner = String(options['owner']);
  return withContext(async ({ context }) => {
    const isMailed = owner.includes('@');
    // Before the app is there, which makes its owner known.
    const isKnown = !isMailed && (await isOwnerKnown(context, owner));
    const registered = await registerApp(context, {
      name: String(options['name']),
      callbacks: options['callback'] as string[],
      contacts: (options['contact'] ?? []) as string[],
      owner,
      actor: 'command',
      requestId: null,
    });
    if (!registered) throw new Error('an app with this client id exists already');
    const { clientId, clientSecret, ownerToken } = registered;
    const json = { client_id: clientId, client_secret: clientSecret, owner_token: ownerToken };
    const lines = Object.entries(json).map(([name, value]) => `${name}: ${value}`);
    const hint = isMailed
      ? `${ONCE} proven the e-mail address and authorized the app once.`
      : `${ONCE} authorized the app once.`;
    const warning = isMailed || isKnown ? [] : [UNKNOWN_OWNER];
    return { ok: true, lines: [...lines, hint, ...warning], json: { ...json, owner_known: isKnown } };
  });
}

/** `apps list`: every app. Callbacks that today's rules would refuse to register are marked. */
export async function listAppsCommand(): Promise<Result> {
  return withContext(async ({ context }) => {
    const callbacks = await listCallbacks(context.store.durable);
    const extensions = await describedExtensions(context);
    const apps = (await findApps(context.store.durable)).map((app) => {
      const uris = callbacks.filter(({ client_id }) => client_id === app.client_id).map(({ uri }) => uri);
      return {
        client_id: app.client_id,
        name: app.name,
        owner: app.owner_account_id ?? app.owner_email,
        source: app.source,
        callbacks: uris,
        warnings: uris.flatMap((uri) =>
          callbackProblem(uri) === undefined ? [] : [`${uri}: ${callbackProblem(uri)}`],
        ),
        tokens: Number(app.tokens),
        cut_over_percent: app.cut_over_percent,
        extensions: extensions.filter(({ client_id }) => client_id === app.client_id),
        created_at: new Date(app.created_at).toISOString(),
        retired_at: app.retired_at === null ? null : new Date(app.retired_at).toISOString(),
      };
    });
    const lines = apps.flatMap((app) => [
      `${app.client_id}  ${app.name}  (${app.tokens} ${app.tokens === 1 ? 'token' : 'tokens'}, owner ${app.owner ?? 'not known'})`,
      ...(app.retired_at === null ? [] : [`    retired: ${app.retired_at}`]),
      ...app.callbacks.map((uri) => `    ${uri}`),
      ...app.warnings.map((warning) => `    warning: ${warning}`),
      ...(app.cut_over_percent === 0 ? [] : [`    cut over: ${app.cut_over_percent} %`]),
      ...app.extensions.map((one) => `    more time: ${extensionLine(one)}`),
    ]);
    return { ok: true, lines: lines.length > 0 ? lines : ['No app is registered yet.'], json: { apps } };
  });
}
