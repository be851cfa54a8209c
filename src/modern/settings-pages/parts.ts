import type { Logger } from '../../shared/log/logger.ts';
import type { Mailer } from '../../shared/mail/mailer.ts';
import type { Pages } from '../../shared/pages.ts';
import type { Attempts } from '../interactions/attempts.ts';
import type { Provider } from '../provider/oidc.ts';
import type { DemoCredentials } from '../settings.ts';
import type { ModernStore } from '../store/store.ts';
import type { Answers } from './answers.ts';

export interface SettingsParts {
  provider: Provider;
  store: ModernStore;
  pages: Pages;
  attempts: Attempts;
  demo: DemoCredentials | undefined;
  /** Public origin, shown to people for their programs. */
  issuer: string;
  mailer: Mailer;
  logger: Logger;
  answers: Answers;
}
