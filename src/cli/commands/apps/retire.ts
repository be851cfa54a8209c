import { retireApp } from '../../../domain/apps/retire-app.ts';
import { lookAtDeed } from '../../../domain/take-back/look.ts';
import { isoMoment, momentText } from '../../../shared/moments.ts';
import { commandActor } from '../by-option.ts';
import { linesOfUndo } from '../history/undo.ts';
import type { Result } from '../result.ts';
import { withContext } from '../with-context.ts';

/** What goes on after it, and how to end that too. */
const STAYS =
  'Its connections stay at the new API, and the bridge goes on renewing them. To end one, revoke its tokens. Nobody is told by a mail or a webhook.';

/** `apps retire CLIENT_ID --reason TEXT`: refuses an app and all its tokens from the next call on. */
export async function retire(
  options: Record<string, unknown>,
  [clientId = '']: readonly string[],
): Promise<Result> {
  const asked = { clientId, reason: String(options['reason']), actor: commandActor(options) };
  return withContext(async ({ context }) => {
    const retired = await retireApp(context, { ...asked, requestId: null });
    if (retired === 'unknown app')
      throw new Error('No app that was registered or imported has this client id.');
    const { appName, retiredAt, deed } = retired;
    const at = momentText(retiredAt);
    const json = { client_id: clientId, retired_at: isoMoment(retiredAt), changed: deed !== undefined };
    if (deed === undefined)
      return {
        ok: true,
        lines: [`The app ${appName} is retired already, since ${at}. Nothing was changed.`],
        json,
      };
    const undo = linesOfUndo(await lookAtDeed(context, deed));
    const first = `The app ${appName} is retired: it and all its tokens are refused from the next call on.`;
    return { ok: true, lines: [first, STAYS, ...undo], json };
  });
}
