import type { Response } from 'express';
import type { MappingTarget } from '../../../domain/support/actions/actions.ts';
import { NOT_KEPT } from '../../../domain/posts/not-kept.ts';
import { makeLink } from '../../../domain/support/make-link.ts';
import type { PageShell } from '../../site/page-shell.ts';
import type { StaffAction, ActionPage } from './action-form.ts';
import { TOO_LATE } from '../../../domain/tokens/standing/words.ts';
import { unknownHolderStep } from '../../../domain/tokens/standing/unknown-holder.ts';
import { accountWords, backTo, tokenRedirect, mappingIn, tokenFacts } from './action-target.ts';
import { oldApiStatusNow } from '../../../domain/lifecycle/old-api-status.ts';

/** /support/mappings/:id/link: makes the link by which an account holder connects an app again. */

/** Why no link would help, in a sentence with the next step; undefined where a link helps. */
function hindrance(
  { context }: PageShell,
  { clientId, accountId, waitsUnder }: MappingTarget,
): string | undefined {
  const { phase, hasOldApi } = oldApiStatusNow(context, clientId);
  if (phase === 'ended') return TOO_LATE;
  if (accountId !== null) return undefined;
  return waitsUnder === null
    ? `Nobody knows yet whose account this token is, and a link is for one account. ${unknownHolderStep({ hasOldApi })}`
    : 'A link is for one account, and of this token only an e-mail address is known. Send a reminder instead: it brings a link that proves the address. Or a lead says whose account it is.';
}

/** Which calls the old API goes on answering after the connection, or which calls stay refused. */
function othersWords({ context }: PageShell, { clientId }: MappingTarget): string {
  return oldApiStatusNow(context, clientId).hasOldApi
    ? `Until the retirement the old API goes on answering calls about posts with the tokens that it made; then the new API answers them, except for ${NOT_KEPT}.`
    : `Calls for ${NOT_KEPT} stay refused, and so do calls that the old API never documented; for these the app has to be changed.`;
}

/** The tokens that work again. Of an unidentified program nobody knows which tokens belong together. */
const againWords = ({ isUnidentified, appName }: Pick<MappingTarget, 'isUnidentified' | 'appName'>) =>
  isUnidentified
    ? `each token of “${appName}” that they choose there works again`
    : `every waiting token of “${appName}” works again`;

function showLink(
  frame: PageShell,
  res: Response,
  { target, link }: { target: MappingTarget; link: string },
) {
  const { accountName } = target;
  const holder = accountName ?? 'the holder of the account';
  frame.page(res, 'support-link', {
    title: `The link for ${holder}`,
    link,
    again: againWords(target),
    others: othersWords(frame, target),
    account: accountWords(target),
    hint: `Select it and copy it into a mail or a chat to ${holder}.`,
    back: backTo(target).href,
  });
}

function askFor(frame: PageShell, target: MappingTarget): ActionPage {
  const hindered = hindrance(frame, target);
  const says = hindered ?? [
    'You get a link for the holder of the account. It opens nothing without a sign-in to that account, so it may be forwarded; whoever else opens it is told that it is for somebody else.',
    `Once the holder has connected with it, ${againWords(target)}, for the calls that the new API answers.`,
  ];
  return {
    title: 'Make a link to connect',
    says: [says].flat(),
    facts: tokenFacts(target),
    button: hindered === undefined ? { label: 'Make the link', isDanger: false } : undefined,
    back: backTo(target),
  };
}

/** The action `link`. The link is shown in the answer to its form alone. */
export function linkAction(frame: PageShell): StaffAction<MappingTarget> {
  return {
    path: '/support/mappings/:id/link',
    needs: 'agent',
    find: (req) => mappingIn(frame, req),
    ask: async (target) => (target.isWaiting ? askFor(frame, target) : tokenRedirect(target, 'too-late')),
    async act({ target, reason, origin }, res) {
      const hindered = hindrance(frame, target);
      if (hindered !== undefined) return { problems: { form: hindered } };
      const made = await makeLink(frame.context, { mappingId: target.mappingId, reason, ...origin });
      if (made.outcome !== 'made') return tokenRedirect(target, 'too-late');
      showLink(frame, res, { target, link: made.link });
      return undefined;
    },
  };
}
