import type { AppToken } from '../../../domain/tokens/app-tokens.ts';
import { tokensInPieces } from '../../../domain/tokens/all-tokens.ts';

import type { FileRow } from '../../pages/row-files.ts';
import type { OwnersDeps } from '../deps.ts';
import type { ShownApp } from '../shown-app.ts';
import { tokenLines } from '../tokens/token-lines.ts';

/** The tokens of an app as rows of a file. Of a token the last four characters alone are told. */

export const TOKEN_COLUMNS = [
  'last_four',
  'holder',
  'source',
  'state',
  'reason',
  'last_used_at',
  'stopped_at',
  'calls_in_30_days',
] as const;

const STATES: Readonly<Record<AppToken['state'], string>> = {
  unmapped: 'waiting',
  active: 'connected',
  reauthorization_required: 'stopped',
  migrated: 'moved',
  revoked: 'revoked',
};

const timeOf = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString());

type Line = ReturnType<typeof tokenLines>['lines'][number];

const rowOf = ({ hint_last: last, state }: AppToken, line: Line): FileRow => ({
  last_four: last ?? undefined,
  holder: line.holder,
  source: line.source,
  state: STATES[state],
  reason: line.reason,
  last_used_at: timeOf(line.lastUsed),
  stopped_at: timeOf(line.stoppedAt),
  calls_in_30_days: line.calls,
});

/** The rows, read while the file is sent. */
export async function* tokenRows(context: OwnersDeps, shown: ShownApp): AsyncGenerator<FileRow> {
  for await (const tokens of tokensInPieces(context, shown.of)) {
    const { lines } = tokenLines(context, tokens, shown);
    for (const [place, line] of lines.entries()) yield rowOf(tokens[place] as AppToken, line);
  }
}
