import type { Response } from 'express';
import { isNoPlace } from '../../domain/apps/callback-rule.ts';
import type { OAuthErrorCode } from '../../shared/refusals/oauth-error.ts';

/** The answer to an app at its callback. */
export interface AnswerToApp {
  code?: string;
  error?: OAuthErrorCode;
  /** As the app wrote it, percent-encoding included. */
  rawState: string | undefined;
}

/** Escapes characters that may not stand in a header or an address. Percent-encoded characters stay as they are. */
function headerSafe(text: string): string {
  return text.replace(/[^\x21-\x7e]|["<>]/g, (character) =>
    character.charCodeAt(0) < 0x100
      ? `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
      : encodeURIComponent(character),
  );
}

/**
 * The callback with the answer appended. The query of the callback is kept, the slash of a code stays a slash
 * (docs/old-api.md Q3), and `state` goes back byte for byte.
 */
export function callbackLocation(redirectUri: string, { code, error, rawState }: AnswerToApp): string {
  const answer = [
    ...(code === undefined ? [] : [`code=${code}`]),
    ...(error === undefined ? [] : [`error=${error}`]),
    ...(rawState === undefined ? [] : [`state=${headerSafe(rawState).replaceAll('#', '%23')}`]),
  ].join('&');
  const separator = redirectUri.includes('?') ? (/[?&]$/.test(redirectUri) ? '' : '&') : '?';
  return `${headerSafe(redirectUri)}${separator}${answer}`;
}

/**
 * Sends the browser back to an app. `redirectUri` is always a registered callback of the app that a browser can open.
 * @throws {Error} for a callback that no browser can open; such an answer belongs on a page
 */
export function redirectToApp(res: Response, redirectUri: string, answer: AnswerToApp): void {
  if (isNoPlace(redirectUri)) throw new Error('no browser can be sent to this callback');
  res.statusCode = 302;
  res.setHeader('Location', callbackLocation(redirectUri, answer));
  res.end();
}
