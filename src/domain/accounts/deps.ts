import type { TokensDeps } from '../tokens/deps.ts';
import type { Mailer } from '../../shared/mail/mailer.ts';

/** What this room takes of the context, beside what the rooms take that it calls. */
export interface AccountsDeps extends TokensDeps {
  mailer: Mailer;
}
