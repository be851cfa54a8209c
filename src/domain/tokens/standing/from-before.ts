import type { Mapping } from '../../../store/tables/tables.ts';

/**
 * Whether a token is older than the bridge, so that the old API may know the token. The old API never saw a token that
 * the bridge issued.
 */
export function isFromBefore({ source }: Pick<Mapping, 'source'>): boolean {
  return source === 'imported' || source === 'observed';
}

/**
 * Whether the old API still knows a token: the token is older than the bridge, and the old API has not refused the
 * token yet.
 */
export function isKnownThere(mapping: Pick<Mapping, 'source' | 'refused_there_at'>): boolean {
  return isFromBefore(mapping) && mapping.refused_there_at === null;
}
