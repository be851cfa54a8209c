import { addSecret, type AppSecret, retireSecret, secretsOf } from '../../../domain/apps/app-secrets.ts';
import type { Result } from '../result.ts';
import { withContext } from '../with-context.ts';

/** The operator rotates an app's secret, as the owner does on the pages. */

/** An imported secret has the date of its import: it is older, and nobody knows how much. */
const jsonOf = ({ id, createdAt }: AppSecret) => ({
  secret_id: id,
  exists_since: new Date(createdAt).toISOString(),
});

const known = (secret: AppSecret) => `${secret.id}, exists since at least ${jsonOf(secret).exists_since}`;

/** `apps add-secret`: a second secret, shown this once, and the id of the older secret to retire later. */
export async function addAppSecret(_options: unknown, [clientId = '']: string[]): Promise<Result> {
  return withContext(async ({ context }) => {
    const before = await secretsOf(context, clientId);
    const added = await addSecret(context, { clientId, actor: 'command', requestId: null });
    if (added === 'unknown app') throw new Error(`no app has the client id ${clientId}`);
    if (typeof added === 'string')
      throw new Error(
        `the app has two secrets already. Retire one of them first: ${before.map(known).join('; ')}`,
      );
    const json = { client_id: clientId, secret_id: added.id, client_secret: added.secret };
    const lines = Object.entries(json).map(([name, value]) => `${name}: ${value}`);
    const hints = before.map(
      (older) => `The older secret keeps working until you retire it: ${known(older)}`,
    );
    return {
      ok: true,
      lines: [...lines, 'The new secret is shown only this once.', ...hints],
      json: { ...json, older_secrets: before.map(jsonOf) },
    };
  });
}

/** `apps retire-secret`: ends one of two secrets at once. */
export async function retireAppSecret(
  _options: unknown,
  [clientId = '', id = '']: string[],
): Promise<Result> {
  return withContext(async ({ context }) => {
    const retired = await retireSecret(context, { clientId, id, actor: 'command', requestId: null });
    if (retired === 'last')
      throw new Error('this secret is the only secret of the app. Add another secret first');
    const live = (await secretsOf(context, clientId)).map(known);
    if (retired === 'unknown')
      throw new Error(
        `no live secret has this id. ${live.length > 0 ? `Live secrets of the app: ${live.join('; ')}` : `No app has the client id ${clientId}`}`,
      );
    return { ok: true, lines: ['The secret is retired.'], json: { client_id: clientId, retired: id } };
  });
}
