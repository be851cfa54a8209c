import type { ErrorRequestHandler } from 'express';
import type { Logger } from '../shared/log/logger.ts';
import type { PageRenderer } from '../shared/pages.ts';
import { errorHandler, unreadableStatus } from './error-handler.ts';
import type { Configuration } from './provider/oidc.ts';
import { siteName } from './page-headers.ts';

interface Explanation {
  title: string;
  text: string;
}

const EXPIRED: Explanation = {
  title: 'This page has expired',
  text: 'Go back to the app you came from and start again. Nothing was changed.',
};

const EXPLANATIONS: Record<string, Explanation> = {
  invalid_client: {
    title: 'We do not know this app',
    text: 'The app that sent you here is not registered with us, so we cannot send you back to it. Go back by hand and tell the people who make it.',
  },
  invalid_redirect_uri: {
    title: 'This link is not safe to follow',
    text: 'The app asked us to send you to an address it has not registered. We stopped here to protect your account.',
  },
  slow_down: {
    title: 'Too many requests',
    text: 'Your network address began very many sign-ins in a short time. Wait a minute, go back to the app you came from and try again.',
  },
  server_error: {
    title: 'Something went wrong on our side',
    text: 'Nothing was changed. Please try again in a moment.',
  },
};

const OTHER: Explanation = {
  title: 'This request is not complete',
  text: 'The app that sent you here made a mistake in its request. Go back to it and try again.',
};

const MISSING = {
  title: 'There is no such page',
  text: 'The address may be mistyped. Go back to the app you came from and start again.',
  error: 'not_found',
};

const SETTINGS = { href: '/settings', label: 'Your account settings' };

/** The links of error pages: to the apps if `appsUrl` is set, and to the settings. Every page gets these links. */
export function errorPageLinks(appsUrl: string | undefined) {
  return appsUrl === undefined ? [SETTINGS] : [{ href: appsUrl, label: 'Your apps' }, SETTINGS];
}

export interface ErrorPage {
  error: string;
  description?: string | undefined;
  /** The page was open for too long, or was used already. */
  expired?: boolean;
}

/**
 * A whole HTML page: the problem, the next step for the person, and the technical words for the person who has to fix
 * the error.
 */
export function renderErrorPage(pages: PageRenderer, { error, description, expired }: ErrorPage): string {
  const explanation = expired ? EXPIRED : (EXPLANATIONS[error] ?? OTHER);
  return pages.render('error', { ...explanation, error, description, siteName, narrow: true });
}

const FOREIGN_FORM = {
  title: 'This form is no longer valid',
  text: 'It was not sent from its own page. Open the page again and try once more. Nothing was changed.',
};

/** The page for a form that another site sent. */
export function renderForeignForm(pages: PageRenderer): string {
  return pages.render('error', { ...FOREIGN_FORM, siteName, narrow: true });
}

export function renderMissingPage(pages: PageRenderer): string {
  return pages.render('error', { ...MISSING, siteName, narrow: true });
}

/** HTML for people at /auth. JSON for programs at all other paths, whatever their `Accept` header says. */
export function createRenderError(pages: PageRenderer): NonNullable<Configuration['renderError']> {
  return (ctx, out, error) => {
    if (!ctx.path.startsWith('/auth')) {
      ctx.body = out;
      return;
    }
    ctx.type = 'html';
    ctx.body = renderErrorPage(pages, {
      error: out.error,
      description: out.error_description,
      expired: error.name === 'SessionNotFound',
    });
  };
}

/**
 * The last error handler of all pages. An unreadable request is the fault of the browser. Any other error is ours and
 * is logged.
 */
export function explainFailure(pages: PageRenderer, logger: Logger): ErrorRequestHandler {
  return errorHandler((error, res) => {
    const status = unreadableStatus(error);
    if (status === undefined) logger.error('request failed', { cause: error });
    const shown = status === undefined ? 'server_error' : 'invalid_request';
    res.status(status ?? 500).send(renderErrorPage(pages, { error: shown }));
    return true;
  });
}
