import type { Logger } from '../../shared/log/logger.ts';
import type { Mailer } from '../../shared/mail/mailer.ts';
import type { PageRenderer } from '../../shared/pages.ts';
import type { PasswordAttemptLimiter } from '../interactions/attempts.ts';
import type { Provider } from '../provider/oidc.ts';
import type { DemoCredentials } from '../settings.ts';
import type { ModernStore } from '../store/store.ts';
import type { CreatedPages } from './answers.ts';

export interface SettingsPagesDeps {
  provider: Provider;
  store: ModernStore;
  pages: PageRenderer;
  attempts: PasswordAttemptLimiter;
  demo: DemoCredentials | undefined;
  /** Public origin, shown to people for their programs. */
  issuer: string;
  mailer: Mailer;
  logger: Logger;
  answers: CreatedPages;
}
