import { z } from 'zod';
import { importRows } from '../../../../domain/import/import-rows.ts';
import { count, text, textOrNull, yesNo } from '../../answers/parts.ts';
import { operation } from '../../operation.ts';
import { ApiProblem } from '../../problems/problems.ts';
import { lookAtRows } from './look-at-rows.ts';

/** Rows of an import, piece by piece (docs/decisions/0037). */

const ROWS_MAX = 5000;
const BODY_MAX = 4 * 1024 * 1024;

/** No field has a deeper value, and a value without a bound could be as deep as the body is long. */
const valueIn = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string()).max(1000)]);

const OTHER_RUNS =
  'Another import of rows runs at this moment, or its process died within the last half minute. Nothing was changed. Send the same rows again.';

/** In seconds. A piece takes a few. */
const RETRY_AFTER = 5;

const ROWS =
  'In any order. docs/migrate/import.md tells the fields of each type, and docs/operate/staff-api.md which rows a key leaves to the command.';

const MAX_REFUSED =
  'Changes nothing where a trial refuses more rows than this. Others may change the database after the trial: where is_written is true, compare refused with max_refused.';

export const IMPORT_WRITES = [
  operation({
    id: 'importRows',
    method: 'post',
    path: '/import',
    needs: 'lead',
    tag: 'import',
    isWrite: true,
    bodyLimit: BODY_MAX,
    lookFirst: (body) => lookAtRows(body, ROWS_MAX),
    summary: 'Imports apps, id pairs and tokens of the old API; the same rows again change nothing',
    body: z.strictObject({
      rows: z
        .array(z.object({ type: z.string().max(20) }).catchall(valueIn))
        .min(1)
        .max(ROWS_MAX)
        .meta({ description: ROWS }),
      is_dry_run: yesNo.optional().meta({ description: 'Tells what the import would change.' }),
      max_refused: count.optional().meta({ description: MAX_REFUSED }),
    }),
    answer: z.object({
      is_written: yesNo,
      new: count,
      known: count,
      changed: count,
      refused: count,
      refused_rows: z.array(
        z.object({
          row: count.meta({ description: 'Its place in rows; the first one is 0.' }),
          field: textOrNull,
          reason: text,
          client_id: textOrNull,
        }),
      ),
      unknown_fields: z.array(text).meta({
        description:
          'Ignored fields: their names, and those of fields that rows of their type do not have in words.',
      }),
      hidden_fields: count.meta({
        description:
          'How many further ignored fields there are, whose names are not told; 1,000 means at least so many.',
      }),
      weak_tokens: count.meta({
        description:
          'How many tokens are short or easy to guess, also of refused rows. That is no reason to refuse a row.',
      }),
      weak_rows: z.array(count).meta({ description: 'The places of the first five of these in rows.' }),
    }),
    problems: ['not-possible'],
    async run(context, { body: { rows, is_dry_run: isDryRun = false, max_refused: maxRefused }, origin }) {
      const done = await importRows(context, { rows, isDryRun, maxRefused, origin });
      if (!done) throw new ApiProblem('not-possible', OTHER_RUNS, { retryAfter: RETRY_AFTER });
      return {
        is_written: done.written,
        new: done.new,
        known: done.known,
        changed: done.changed,
        refused: done.refused,
        refused_rows: done.refusedRows.map(({ line, field, reason, clientId }) => ({
          row: line - 1,
          field: field ?? null,
          reason,
          client_id: clientId ?? null,
        })),
        unknown_fields: done.unknownFields,
        hidden_fields: done.hiddenFields,
        weak_tokens: done.weakTokens.count,
        weak_rows: done.weakTokens.lines.map((line) => line - 1),
      };
    },
  }),
];
