import { z } from 'zod';
import { readAfter } from '../../../domain/history/follow-history.ts';
import { entryOf, entrySchema } from '../answers/entry.ts';
import { idIn, text, yesNo } from '../answers/parts.ts';
import { operation } from '../operation.ts';
import { beforeOf } from '../answers/history-cursor.ts';

/** The whole history, by position: nothing is ever added before a position that was read. */

const query = z.strictObject({
  cursor: z.string().max(16).optional().meta({
    description: 'A position: next_cursor of the page before. Without it the history begins at its start.',
  }),
  client_id: idIn.optional(),
  token_id: idIn.optional(),
});

const answer = z.object({
  entries: z.array(entrySchema.extend({ position: z.int() })),
  next_cursor: text.meta({ description: 'Where to go on, now or later.' }),
  has_more: yesNo,
});

export const HISTORY_OPERATIONS = [
  operation({
    id: 'followHistory',
    method: 'get',
    path: '/history',
    needs: 'reader',
    tag: 'history',
    summary: 'The entries after a position, in the order of the chain; a page may have no entry that matches',
    query,
    answer,
    problems: ['not-possible'],
    async run({ store }, { query: { cursor, client_id: app, token_id: token } }) {
      const position = beforeOf(cursor) ?? 0;
      const page = await readAfter(store.durable, { position, chain: undefined });
      const matching = page.filter(
        (entry) =>
          (app === undefined || entry.client_id === app) &&
          (token === undefined || entry.mapping_id === token),
      );
      return {
        entries: matching.map((entry) => ({ ...entryOf(entry), position: entry.position })),
        next_cursor: String(page.at(-1)?.position ?? position),
        has_more: page.length > 0,
      };
    },
  }),
];
