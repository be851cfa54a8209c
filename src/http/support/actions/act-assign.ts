import { assignByHand } from '../../../domain/tokens/assign-token.ts';
import { isLastOfConnection } from '../../../domain/tokens/revoke-token.ts';
import { TakeBackRefused } from '../../../domain/history/record-deed.ts';
import { SAID_BEFORE } from '../../../domain/take-back/words.ts';
import { findRegisteredApp } from '../../../domain/apps/register-app.ts';
import type { MappingTarget } from '../../../domain/support/actions/actions.ts';
import type { PageShell } from '../../site/page-shell.ts';
import type { ActionPage, NoticeRedirect, StaffAction } from './action-form.ts';
import { backTo, tokenRedirect, mappingIn, tokenFacts } from './action-target.ts';

/** /support/mappings/:id/assign: staff say to which app an observed token belongs. */

const UNKNOWN_APP =
  'No app that was registered or imported has this client id, or it is retired. Look for the app under “Search” and copy its client id from there.';

const LAST =
  'It is the last token of its connection. If you name another app, that connection ends too, at the new API as well, and this cannot be taken back.';

async function ask({ context }: PageShell, target: MappingTarget): Promise<ActionPage | NoticeRedirect> {
  if (target.isOver) return tokenRedirect(target, 'token-ended');
  if (!target.isAssignable) return tokenRedirect(target, 'too-late');
  return {
    title: 'Say which app this is',
    says: [
      'The token was seen in use, and what its calls say proves no app. If an import or a consent said which app it is, your word replaces that. From now on it belongs to the app that you name, and its owner sees it. Name the app that it stands with to confirm that; name an unidentified program to say that no app is proven.',
      'If that app is connected for the same account, the token works on by that connection. If that app has taken the connection over, the token ends as moved: its calls are refused from then on. If neither is so, and it is connected now, it stops until the account holder connects it once more.',
      (await isLastOfConnection(context, target.mappingId)) ? LAST : SAID_BEFORE.assign,
    ],
    facts: tokenFacts(target),
    fields: [
      { kind: 'hidden', name: 'seen_app', value: target.clientId },
      { kind: 'hidden', name: 'seen_grant', value: target.grantId ?? '' },
      {
        kind: 'text',
        name: 'client_id',
        label: 'Client id of the app',
        hint: 'As it stands on the page of the app.',
        value: '',
      },
    ],
    button: { label: 'Assign the token', isDanger: false },
    back: backTo(target),
  };
}

/** The app and the grant that the page showed. */
function seenIn({ seen_app: from = '', seen_grant: grant = '' }: Record<string, string>) {
  return { from, fromGrant: grant === '' ? null : grant };
}

/** The answer of an assignment; undefined where the token is not at the app, or not on the grant, that the page showed. */
async function assignSeen(context: PageShell['context'], asked: Parameters<typeof assignByHand>[1]) {
  try {
    return await assignByHand(context, asked);
  } catch (error) {
    if (!(error instanceof TakeBackRefused)) throw error;
    return undefined;
  }
}

/** The page below says that a token has moved; that a connection has ended, nothing else says. */
function noticeOf({ alone, state }: { alone: boolean; state: MappingTarget['state'] }): string {
  if (alone) return 'token-assigned-last';
  return state === 'migrated' ? 'token-assigned-moved' : 'token-assigned';
}

/** The action `assign`. */
export function assignAction(frame: PageShell): StaffAction<MappingTarget> {
  return {
    path: '/support/mappings/:id/assign',
    needs: 'agent',
    find: (req) => mappingIn(frame, req),
    ask: (target) => ask(frame, target),
    async knownIds({ client_id: clientId = '' }) {
      return (await findRegisteredApp(frame.context, clientId)) ? [clientId] : [];
    },
    async act({ target, fields, reason, origin }) {
      const { client_id: clientId = '' } = fields;
      const asked = { mappingId: target.mappingId, clientId, ...seenIn(fields), reason, ...origin };
      const answer = await assignSeen(frame.context, asked);
      if (answer?.outcome === 'unknown app') return { problems: { client_id: UNKNOWN_APP } };
      if (answer?.outcome === 'final') return tokenRedirect(target, 'token-ended');
      if (answer?.outcome !== 'assigned') return tokenRedirect(target, 'too-late');
      return tokenRedirect(target, noticeOf(answer));
    },
  };
}
