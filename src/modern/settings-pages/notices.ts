/** What is said at the top of a page after an action; the address names one of these, so nobody can put words there. */
const NOTICES: Record<string, string> = {
  'signed-out': 'You are signed out.',
  'key-deleted': 'The key was deleted. Calls with it are refused from now on.',
  'client-saved': 'The changes were saved.',
  'client-deleted': 'The client was deleted. Everything it was allowed to do has ended.',
  'secret-deleted': 'The secret was deleted. It is refused from now on.',
  'app-revoked': 'The app was revoked. Its calls are refused from now on.',
  'name-changed': 'Your name was changed.',
  'password-changed': 'Your password was changed. Every other browser is signed out.',
  'email-asked':
    'A mail with a link is on its way to the new address. Your address changes when you open that link within 24 hours.',
};

/** What was not done, because another window was faster. */
const REFUSED: Record<string, string> = {
  'secrets-full': 'Nothing was changed: there are two secrets already. Delete one of them first.',
  'last-secret':
    'Nothing was changed: this is the only secret left. Create another one before you delete it.',
};

export interface Notice {
  text: string;
  kind: 'ok' | 'warning';
}

/** The text of `?done=…`; undefined for anything that is not in the lists. */
export function noticeOf(done: unknown): Notice | undefined {
  if (typeof done !== 'string') return undefined;
  const [good, bad] = [NOTICES, REFUSED].map((texts) =>
    Object.hasOwn(texts, done) ? texts[done] : undefined,
  );
  if (good !== undefined) return { text: good, kind: 'ok' };
  return bad === undefined ? undefined : { text: bad, kind: 'warning' };
}
