import { z } from 'zod';
import { reportLeaks } from '../../../domain/leaks/report-leaks.ts';
import { HOUR } from '../../../shared/lifetimes.ts';
import { count, text, yesNo } from '../answers/parts.ts';
import { operation } from '../operation.ts';

/** Tokens that were found where others can read them. */

export const LEAK_WRITES = [
  operation({
    id: 'reportLeakedTokens',
    method: 'post',
    path: '/leaked-tokens',
    needs: 'agent',
    tag: 'tokens',
    isWrite: true,
    summary: 'Revokes tokens that were found where others can read them, and tells their owners',
    body: z.strictObject({
      tokens: z.array(z.string().min(1).max(4096)).min(1).max(200),
      found: z.string().max(500).meta({ description: 'Where they were found.' }),
      grace_hours: z
        .int()
        .min(0)
        .max(720)
        .optional()
        .meta({ description: 'Without it LEAKED_TOKEN_GRACE_HOURS counts.' }),
    }),
    answer: z.object({ known: z.array(z.object({ token_id: text, had_ended: yesNo })), unknown: count }),
    async run(context, { body: { tokens, found, grace_hours: hours }, origin }) {
      const grace = hours === undefined ? context.settings.leakedTokenGrace : hours * HOUR;
      const reports = tokens.map((token) => ({ token, found }));
      const leaks = await reportLeaks(context, { reports, grace }, origin);
      const known = new Map([...leaks.values()].map((leak) => [leak.mappingId, leak.hadEnded]));
      return {
        known: [...known].map(([id, hadEnded]) => ({ token_id: id, had_ended: hadEnded })),
        unknown: tokens.filter((token) => !leaks.has(token)).length,
      };
    },
  }),
];
