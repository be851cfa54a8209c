import { findRegisteredApp } from '../../../domain/apps/register-app.ts';
import { reauthorize } from '../../../domain/authorization/reauthorize.ts';
import type { OAuthErrorCode } from '../../../shared/refusals/oauth-error.ts';
import { sendPage } from '../../pages/page-headers.ts';
import { leaveWith } from '../../pages/flash-notice.ts';
import type { ReturnEnding } from './callback.ts';
import type { SigninPagesDeps } from '../parts.ts';

/** How a re-authorization ends: on the page of the app, or with a page that says why nothing was changed. */

/** The notice at the top of the app's page (pages/notices.ts). */
const NOTICE = {
  connected: 'connected',
  'nothing waits': 'nothing-waits-any-more',
  'of another app': 'of-another-app',
} as const;

function wordsOf(error: OAuthErrorCode): string {
  if (error === 'access_denied') return 'You did not allow it on the account page.';
  return error === 'temporarily_unavailable'
    ? 'The account page did not answer or asked to wait. Try again in a minute.'
    : 'The account page refused to connect it.';
}

/** The ending of purpose `reauthorization`. */
export function endReauthorization(parts: SigninPagesDeps): ReturnEnding {
  const { context, pages } = parts;
  const nothingChanged = async (clientId: string | null) => {
    const app = clientId === null ? undefined : await findRegisteredApp(context, clientId);
    return { title: 'Nothing was changed', appName: app?.name ?? 'the app', back: `/apps/${clientId}` };
  };
  return {
    async finish(request, consented) {
      const result = await reauthorize(context, request, consented);
      if (result.outcome !== 'not proven' && result.outcome !== 'another account') {
        const { outcome, clientId } = result;
        const leaving = { href: `/apps/${clientId}`, notice: NOTICE[outcome] };
        return (_req, res) => leaveWith(context, res, leaving);
      }
      const unchanged = await nothingChanged(result.clientId);
      if (result.outcome === 'not proven')
        return (_req, res) => sendPage(res, pages.render('not-proven', unchanged));
      const data = { ...unchanged, email: result.email };
      return (_req, res) => sendPage(res, pages.render('another-account', data));
    },
    fail: (request, error) => async (_req, res) => {
      const data = { ...(await nothingChanged(request.client_id)), reason: wordsOf(error) };
      sendPage(res, pages.render('not-connected', data));
    },
  };
}
