/** The nine scopes of the new API, with their words on the consent page. There is no `openid`. */
export const scopeWords = {
  'account:read': 'See your account, organizations and channels',
  'account:write': 'Change your account settings',
  'posts:read': 'See your posts and the queue',
  'posts:write': 'Create and manage posts for you',
  'ideas:read': 'See your ideas',
  'ideas:write': 'Create and manage your ideas',
  'snippets:read': 'See your snippets',
  'snippets:write': 'Create and manage your snippets',
  offline_access: 'Stay connected when you are not here, until you end it',
} as const;

export type Scope = keyof typeof scopeWords;

export const scopes: string[] = Object.keys(scopeWords);

export function isScope(value: string): value is Scope {
  return Object.hasOwn(scopeWords, value);
}
