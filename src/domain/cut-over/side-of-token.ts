import { findMappingById } from '../../store/tokens/mappings.ts';
import type { Context } from '../context.ts';
import { isFromBefore } from '../tokens/resolve-token.ts';
import { provenApp } from '../tokens/proven-app.ts';
import { isCutOver } from './moved-early.ts';
import { appHasOldApi } from './outlook.ts';

/** Which side answers the calls of a connected token beside `user` and `profiles`, and why. */
export type SideOfToken = 'old' | 'cut over' | 'refused there';

/** Undefined where no old API could answer: the token is not connected, was issued here, or the retirement has come. */
export async function sideOfToken(context: Context, mappingId: string): Promise<SideOfToken | undefined> {
  const mapping = await findMappingById(context.store, mappingId);
  if (mapping?.state !== 'active' || !isFromBefore(mapping)) return undefined;
  if (!appHasOldApi(context, provenApp(mapping))) return undefined;
  if (mapping.refused_there_at !== null) return 'refused there';
  return isCutOver(mapping) ? 'cut over' : 'old';
}
