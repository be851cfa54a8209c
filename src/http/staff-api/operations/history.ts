import { z } from 'zod';
import { cursorAt, readAfter, requireCursor } from '../../../domain/history/follow-history.ts';
import { mayAct } from '../../../domain/accounts/staff.ts';
import { lookAtEntry } from '../../../domain/take-back/look.ts';
import { NO_DEED, takeEntryBack } from '../../../domain/take-back/take-back.ts';
import { entryOf, entrySchema } from '../answers/entry.ts';
import { idIn, reasonIn, text, yesNo } from '../answers/parts.ts';
import { operation } from '../operation.ts';
import { ApiProblem } from '../problems/problems.ts';
import { notPossible } from './refusals.ts';
import { placeOf, historyCursorText } from '../answers/history-cursor.ts';

/** The whole history, by position: nothing is ever added before a position that was read. */

const query = z.strictObject({
  cursor: z.string().max(220).optional().meta({
    description:
      'next_cursor of the page before, or the position of an entry. Without it the history begins at its start. Only a next_cursor shows that the database was replaced by a backup: it is then refused with not-possible.',
  }),
  client_id: idIn.optional(),
  token_id: idIn.optional(),
});

const answer = z.object({
  entries: z.array(entrySchema.extend({ position: z.int() })),
  next_cursor: text.meta({ description: 'Where to go on, now or later.' }),
  has_more: yesNo,
});

const takenBackAnswer = z.object({
  entry_id: z.int(),
  what: z.enum(['revoke', 'assign', 'pin', 'cut_over', 'extend', 'unextend', 'confirm']),
  changes: z.int().meta({ description: 'How many things stand as before.' }),
});

/** What a key does not do because it may be stolen, it does not take back either. */
const NOT_BY_KEY = {
  give: 'An app that was given to another account is taken back by a lead on a page of support, or by `history undo`. Nothing was changed.',
  retire:
    'An app that was retired comes back by a lead on a page of support, or by `history undo`. Nothing was changed.',
};

export const HISTORY_OPERATIONS = [
  operation({
    id: 'takeEntryBack',
    method: 'post',
    path: '/history/{entry_id}/take-back',
    needs: 'agent',
    tag: 'history',
    isWrite: true,
    summary:
      'Takes back what an entry tells, within seven days and while nothing else changed it; takes the role of the action, or `agent` for the confirmation of a hand-over',
    parameters: z.strictObject({
      entry_id: z
        .string()
        .regex(/^[1-9]\d{0,15}$/)
        .meta({ description: 'entry_id of the entry.' }),
    }),
    body: z.strictObject({ reason: reasonIn }),
    answer: takenBackAnswer,
    problems: ['not-possible'],
    async run(context, { path, body: { reason }, caller, origin }) {
      const entryId = Number(path.entry_id);
      const look = await lookAtEntry(context, entryId);
      if (!look) throw notPossible(NO_DEED);
      if (look.kind === 'give' || look.kind === 'retire') throw notPossible(NOT_BY_KEY[look.kind]);
      if (!mayAct(caller.role, look.needs))
        throw new ApiProblem('role-too-low', `It takes the role “${look.needs}”. Nothing was changed.`);
      const { parts } = await takeEntryBack(context, { entryId, role: caller.role, reason, ...origin });
      return { entry_id: entryId, what: look.kind, changes: parts };
    },
  }),
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
      const place = placeOf(cursor);
      const page = await readAfter(store.durable, place);
      const last = page.at(-1);
      // The reading has checked a place with its chain value. One without it gets the value here.
      const read = place.chain === undefined ? () => requireCursor(store.durable, place) : () => place;
      const matching = page.filter(
        (entry) =>
          (app === undefined || entry.client_id === app) &&
          (token === undefined || entry.mapping_id === token),
      );
      return {
        entries: matching.map((entry) => ({ ...entryOf(entry), position: entry.position })),
        next_cursor: historyCursorText(last ? cursorAt(last) : await read()),
        has_more: page.length > 0,
      };
    },
  }),
];
