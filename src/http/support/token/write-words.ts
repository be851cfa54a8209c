import {
  type PostWriteRow,
  WRITES_TOLD,
  type WritesFound,
} from '../../../domain/support/describe-mapping.ts';

/** The journal of writes for support: which call, when, and its outcome. The text of a post is never shown. */

const CALLS: Record<PostWriteRow['call'], string> = {
  create: 'new post',
  update: 'change of a post',
  share: 'post shared now',
  destroy: 'post deleted',
  move_to_top: 'post moved to the top',
  reorder: 'post moved by a reorder',
  shuffle: 'post moved by a shuffle',
};

type Outcome = { label: string; kind: 'ok' | 'warning' | 'danger' | '' };

const OUTCOMES: Record<PostWriteRow['state'], Outcome> = {
  sending: { label: 'under way', kind: '' },
  done: { label: 'done', kind: 'ok' },
  refused: { label: 'refused', kind: 'danger' },
  in_doubt: { label: 'in doubt: it may have been done', kind: 'warning' },
  found: { label: 'no answer came, but it was done', kind: 'ok' },
  not_found: { label: 'no answer came, and it could not be found', kind: 'warning' },
};

const REASONS: Record<string, string> = {
  not_sent: 'it could not be sent',
  limited: 'the budget of the new API was spent',
  NotFoundError: 'the profile or post was not found',
  UnauthorizedError: 'the profile does not allow it',
  LimitReachedError: 'a limit of the plan was reached',
  InvalidInputError: 'the content does not fit the profile',
  VoidMutationError: 'the post could not be moved or deleted',
  Forbidden: 'the connection or its account may not do this',
};

/** A reason without words here is shown by the new API's own name. */
function reasonOf({ refusal }: PostWriteRow): string | undefined {
  return refusal === null ? undefined : (REASONS[refusal] ?? refusal);
}

const isOpen = ({ state }: PostWriteRow) => state === 'in_doubt' || state === 'sending';

/** Says which writes are not shown; undefined where all writes are shown. */
function partWords({ writes, total }: WritesFound): string | undefined {
  if (writes.length >= total) return undefined;
  const older = writes.slice(WRITES_TOLD).filter(isOpen).length;
  const others = older === 0 ? '' : ', and the older ones in doubt';
  return `These are the newest ${WRITES_TOLD} of ${total}${others}.`;
}

/** The data for the template `support-writes`: one line for each write. */
export function shownWrites(found: WritesFound) {
  return { lines: writeLines(found), part: partWords(found) };
}

/** One line for each write. A deletion names no channel, but another write of the same post may name it. */
export function writeLines({ writes, channels }: Pick<WritesFound, 'writes' | 'channels'>) {
  return writes.map((row) => ({
    call: CALLS[row.call],
    at: row.sent_at,
    outcome: OUTCOMES[row.state],
    reason: reasonOf(row),
    channelId: row.channel_id ?? channels.get(row.post_id ?? ''),
    postId: row.post_id,
    requestId: row.request_id,
  }));
}
