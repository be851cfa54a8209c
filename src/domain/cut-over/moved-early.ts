import { createHash } from 'node:crypto';
import type { MappingWithApp, AppAccount } from '../../store/tokens/mappings.ts';
import { provenApp } from '../tokens/proven-app.ts';

/**
 * Decides which pairs of app and account a cut-over moves to the new API before the retirement. The place of a pair
 * never changes: all calls of a pair go to one API, and a higher percentage moves no pair back.
 */

const PLACES = 10_000;

/** The place of a pair, from 0 to 9999: a digest of its ids. */
export function placeOfPair({ clientId, accountId }: AppAccount): number {
  const digest = createHash('sha256').update(`cut-over\n${clientId}\n${accountId}`).digest();
  return digest.readUInt32BE(0) % PLACES;
}

/** Whether a cut-over of this percentage (a whole number from 0 to 100) includes the pair. */
export function isMovedEarly(pair: AppAccount, percent: number): boolean {
  return percent > 0 && placeOfPair(pair) < (percent * PLACES) / 100;
}

type CutOverMapping = Pick<
  MappingWithApp,
  'client_id' | 'account_id' | 'cut_over_percent' | 'app_source' | 'source' | 'app_proven'
>;

/** Whether a token belongs to the cut-over of its app. An app that a call only claims has no cut-over. */
export function isCutOver(mapping: CutOverMapping): boolean {
  const { account_id: accountId, cut_over_percent: percent } = mapping;
  const clientId = provenApp(mapping);
  return clientId !== undefined && accountId !== null && isMovedEarly({ clientId, accountId }, percent);
}
