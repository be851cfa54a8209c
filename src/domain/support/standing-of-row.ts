import type { MappingRow } from '../../store/tokens/find-mappings.ts';
import { isCutOver } from '../cut-over/moved-early.ts';
import { oldApiStatusNow } from '../lifecycle/old-api-status.ts';
import { provenApp } from '../tokens/proven-app.ts';
import { type TokenStanding, standingOf, type TokenFacts } from '../tokens/standing/standing.ts';
import type { SupportDeps } from './deps.ts';

/** The standing of a token that support or a command has found. */

type StandingDeps = Pick<SupportDeps, 'lifecycle' | 'clock' | 'oldBackend'>;

/** What the row of a token says of its standing. The dates of its app count only where the app is proven. */
export function rowFacts(context: StandingDeps, row: MappingRow): TokenFacts {
  const { state, reason, source } = row;
  return {
    state,
    reason,
    source,
    isAppRetired: row.app_retired_at !== null,
    isCutOver: isCutOver(row),
    isRefusedThere: row.refused_there_at !== null,
    oldApi: oldApiStatusNow(context, provenApp(row)),
  };
}

/** The standing of a token now, without its grant. */
export function standingOfRow(context: StandingDeps, row: MappingRow): TokenStanding {
  return standingOf(rowFacts(context, row));
}
