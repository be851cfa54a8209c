import { z } from 'zod';
import { named, text, textOrNull } from './parts.ts';

/** What a search finds beside tokens. */

export const appFoundSchema = named('AppFound', z.object({ client_id: text, name: text, source: text }));

export const accountFoundSchema = named(
  'AccountFound',
  z.object({ account_id: text, name: textOrNull, email: textOrNull }),
);
