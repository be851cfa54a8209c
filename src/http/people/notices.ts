/**
 * What is said at the top of a page after an action (`?done=…`). The address names one of these, so that nobody can put
 * words there by a link.
 */
const NOTICES: Readonly<Record<string, string>> = {
  connected: 'Connected. The tokens below work again.',
  'nothing-waits': 'No token of this app waits to be connected. There is nothing to do.',
  'nothing-waits-any-more':
    'Nothing was connected: while you confirmed it, what waited was revoked or has moved. Below is how it is now.',
  'of-another-app':
    'The token is yours now. While you confirmed it, it was found out to belong to this app. Connect it once more here.',
  'old-api-ended': 'Nothing was connected: the old API has ended for this app. See the dates below.',
  'rehearsal-stopped': 'Stopped. Calls of this app are answered as before.',
  revoked: 'Revoked. The app cannot use your account any more.',
  'mail-sent': 'A mail with a link is on its way to you. Open the link within 24 hours.',
  proven: 'Thank you. What waited under your e-mail address is yours now.',
  'secret-retired': 'Retired. The secret is refused from now on.',
  'client-entered': 'Tested and in use. People who connect the app from now on are asked by this client.',
  'client-removed': 'The client is not used for new connections any more.',
};

/** The text of a notice; undefined for anything else. */
export function noticeOf(done: unknown): string | undefined {
  return typeof done === 'string' && Object.hasOwn(NOTICES, done) ? NOTICES[done] : undefined;
}
