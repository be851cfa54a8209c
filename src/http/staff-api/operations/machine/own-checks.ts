import { z } from 'zod';
import { examineOwn } from '../../../../domain/checks/own-checks.ts';
import { text } from '../../answers/parts.ts';
import { operation } from '../../operation.ts';

export const CHECK_OPERATIONS = [
  operation({
    id: 'listChecks',
    method: 'get',
    path: '/checks',
    needs: 'reader',
    tag: 'numbers',
    summary: 'What doctor finds out without other servers and files',
    answer: z.object({
      checks: z.array(
        z.object({
          check: text,
          state: z.enum(['ok', 'warning', 'failed', 'not looked at']),
          detail: text,
        }),
      ),
    }),
    run: async (context) => ({ checks: await examineOwn(context) }),
  }),
];
