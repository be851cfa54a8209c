import { giveApp, STAYS_AFTER_GIFT } from '../../../domain/accounts/give-app.ts';
import { lookAtDeed } from '../../../domain/take-back/look.ts';
import { commandActor } from '../by-option.ts';
import { linesOfUndo } from '../history/undo.ts';
import type { Result } from '../result.ts';
import { withContext } from '../with-context.ts';

const WHY_NOT = {
  'unknown app': 'No app that was registered or imported has this client id.',
  'unknown account':
    'No account with this id is known here. If the id is right, the person signs in once on the page “Your apps” first.',
  'other owner': 'Somebody else gave the app to another account at the same moment. Nothing was changed.',
};

/** `apps give CLIENT_ID --to ACCOUNT_ID --reason TEXT`: gives an app to another account. */
export async function give(
  options: Record<string, unknown>,
  [clientId = '']: readonly string[],
): Promise<Result> {
  const asked = { clientId, to: String(options['to']), reason: String(options['reason']) };
  const origin = { actor: commandActor(options), requestId: null };
  return withContext(async ({ context }) => {
    const gift = await giveApp(context, { ...asked, ...origin });
    if (typeof gift === 'string') throw new Error(WHY_NOT[gift]);
    const { appName, accountId, before, deed } = gift;
    const json = { client_id: clientId, owner: accountId, before, changed: deed !== undefined };
    if (deed === undefined)
      return {
        ok: true,
        lines: [`Account ${accountId} owns the app ${appName} already. Nothing was changed.`],
        json,
      };
    const was = before === null ? 'No account owned it.' : `It belonged to account ${before}.`;
    const undo = linesOfUndo(await lookAtDeed(context, deed));
    const first = `The app ${appName} belongs to account ${accountId} now. ${was}`;
    return { ok: true, lines: [first, STAYS_AFTER_GIFT, ...undo], json };
  });
}
