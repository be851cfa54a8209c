/**
 * What a connected app loses when the new API alone answers it, in words for pages and mails: of the known calls
 * (`old-calls.ts`) those that nothing of the new API carries out. Callers put "except for" or a verb in the singular beside it.
 */
export const NOT_KEPT = 'changing posting times';
