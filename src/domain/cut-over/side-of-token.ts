import { findMappingById } from '../../store/tokens/mappings.ts';
import type { CutOverDeps } from './deps.ts';
import { isFromBefore } from '../tokens/resolve-token.ts';
import { provenApp } from '../tokens/proven-app.ts';
import { isCutOver } from './moved-early.ts';
import { appHasOldApi } from './outlook.ts';

/** The API that answers the calls of a connected token (except `user` and `profiles`), with the reason. */
export type SideOfToken = 'old' | 'cut over' | 'refused there';

/** Undefined where no old API can answer: the token is not connected or was issued here, or the app is retired. */
export async function sideOfToken(context: CutOverDeps, mappingId: string): Promise<SideOfToken | undefined> {
  const mapping = await findMappingById(context.store, mappingId);
  if (mapping?.state !== 'active' || !isFromBefore(mapping)) return undefined;
  if (!appHasOldApi(context, provenApp(mapping))) return undefined;
  if (mapping.refused_there_at !== null) return 'refused there';
  return isCutOver(mapping) ? 'cut over' : 'old';
}
