import { z } from 'zod';
import { API_KEY_ROLES } from '../../../domain/api-keys/api-key-list.ts';
import { operation } from '../operation.ts';
import { named, text, time, toTime } from '../answers/parts.ts';

/** What a program may ask of its own key. */

const keySchema = named(
  'Key',
  z.object({ key_id: text, name: text, role: z.enum(API_KEY_ROLES), expires_at: time }),
);

export const KEY_OPERATIONS = [
  operation({
    id: 'readOwnKey',
    method: 'get',
    path: '/key',
    needs: 'reader',
    tag: 'keys',
    summary: 'The key of this request, with what it may do now',
    answer: keySchema,
    async run(_context, { caller: { keyId, name, role, expiresAt } }) {
      return { key_id: keyId, name, role, expires_at: toTime(expiresAt) };
    },
  }),
];
