/** The effect of each scope of the new API, in words for the person who decides. */
const WORDS: Readonly<Record<string, string>> = {
  'account:read': 'See your account and your channels',
  'account:write': 'Change your account settings',
  'posts:read': 'See your posts and your queue',
  'posts:write': 'Create and manage posts for you',
  'ideas:read': 'See your ideas',
  'ideas:write': 'Create and manage your ideas',
  'snippets:read': 'See your snippets',
  'snippets:write': 'Create and manage your snippets',
  offline_access: 'Keep this access until you take it back',
};

/** One line per scope, in the order of the request. A scope without words is shown by its name. */
export function scopeLines(scopes: string): string[] {
  return scopes.split(/\s+/).map((scope) => WORDS[scope] ?? scope);
}
