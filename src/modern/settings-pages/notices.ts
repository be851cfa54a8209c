/**
 * The messages at the top of a page after an action. The address names a message from this list, and each message works
 * only on its own page. Nobody can therefore put words on a page by a link.
 */

export interface Notice {
  text: string;
  kind: 'ok' | 'warning';
}

interface PageNotices {
  at: RegExp;
  /** Messages about completed actions. */
  ok: Record<string, string>;
  /** Messages about actions that were not carried out. */
  warning?: Record<string, string>;
}

const NOTICES: PageNotices[] = [
  {
    at: /^\/settings\/sign-in$/,
    ok: { 'signed-out': 'You are signed out.' },
    warning: {
      'not-saved':
        'You were signed out, so what you sent was not saved. Sign in, and you come back to the form.',
    },
  },
  {
    at: /^\/settings\/api$/,
    ok: {
      'key-deleted': 'The key was deleted. Calls with it are refused from now on.',
      'client-deleted': 'The client was deleted. Everything it was allowed to do has ended.',
    },
  },
  {
    at: /^\/settings\/api\/clients\/[^/]+$/,
    ok: {
      'client-saved': 'The changes were saved.',
      'secret-deleted': 'The secret was deleted. It is refused from now on.',
    },
    // Another window changed the secrets first.
    warning: {
      'secrets-full': 'Nothing was changed: there are two secrets already. Delete one of them first.',
      'last-secret':
        'Nothing was changed: this is the only secret left. Create another one before you delete it.',
    },
  },
  {
    at: /^\/settings\/apps$/,
    ok: { 'app-revoked': 'The app was revoked. Its calls are refused from now on.' },
  },
  {
    at: /^\/settings\/account$/,
    ok: {
      'name-changed': 'Your name was changed.',
      'password-changed':
        'Your password was changed. Every other browser is signed out. API keys, clients and connected apps go on working: delete those you do not know.',
      'email-cancelled': 'The change was cancelled. Your e-mail address stays as it is.',
      'email-asked':
        'A mail with a link is on its way to the new address. Your address changes when you open that link within 24 hours.',
    },
  },
];

/** The message of `?done=…` on the page at `path`. Undefined for a value that the lists do not have. */
export function noticeOf(path: string, done: unknown): Notice | undefined {
  const texts = NOTICES.find(({ at }) => at.test(path));
  if (!texts || typeof done !== 'string') return undefined;
  for (const kind of ['ok', 'warning'] as const) {
    const text = new Map(Object.entries(texts[kind] ?? {})).get(done);
    if (text !== undefined) return { text, kind };
  }
  return undefined;
}
