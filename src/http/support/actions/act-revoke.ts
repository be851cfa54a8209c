import { SAID_BEFORE } from '../../../domain/take-back/words.ts';
import { isLastOfConnection, revokeByHand } from '../../../domain/tokens/revoke-token.ts';
import type { MappingTarget } from '../../../domain/support/actions/actions.ts';
import type { PageShell } from '../../site/page-shell.ts';
import type { StaffAction } from './action-form.ts';
import { backTo, tokenRedirect, mappingIn, tokenFacts } from './action-target.ts';

/** /support/mappings/:id/revoke: ends one token for good. */
export function revokeAction(frame: PageShell): StaffAction<MappingTarget> {
  return {
    path: '/support/mappings/:id/revoke',
    needs: 'agent',
    find: (req) => mappingIn(frame, req),
    async ask(target) {
      if (target.isOver) return tokenRedirect(target, 'token-ended');
      return {
        title: 'Revoke this token?',
        says: [
          'From that moment on every call with this token is refused. Other tokens of the same app and account work on.',
          (await isLastOfConnection(frame.context, target.mappingId))
            ? 'It is the last token of its connection, so the connection ends too, at the new API as well. This cannot be taken back: to use the app again, the account holder has to connect it anew from the app.'
            : SAID_BEFORE.revoke,
        ],
        facts: tokenFacts(target),
        button: { label: 'Revoke the token', isDanger: true },
        back: backTo(target),
      };
    },
    async act({ target, reason, origin }) {
      const answer = await revokeByHand(frame.context, { mappingId: target.mappingId, reason, ...origin });
      if (answer.outcome !== 'revoked') return tokenRedirect(target, 'token-ended');
      return tokenRedirect(target, answer.alone ? 'token-revoked-last' : 'token-revoked');
    },
  };
}
