import type { TokensDeps } from '../tokens/deps.ts';
import type { Mailer } from '../../shared/mail/mailer.ts';

/** The parts of the context that this room uses. The parts of the rooms that it calls come by `extends`. */
export interface AccountsDeps extends TokensDeps {
  mailer: Mailer;
}
