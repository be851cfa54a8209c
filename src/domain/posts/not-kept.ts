/**
 * Words for pages and mails: the known calls (`old-calls/old-calls.ts`) that a connected app loses once only the new
 * API answers, because the new API has no operation for them. Callers put "except for" or a singular verb beside these
 * words.
 */
export const NOT_KEPT = 'changing posting times';
