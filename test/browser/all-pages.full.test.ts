import { describeEveryPage } from './support/every-page.ts';

/**
 * One page of each template as a phone shows it by day. The other states, themes and widths, and where nothing is known
 * yet, are for all-pages.long.test.ts; /, and errors, are looked at in pages.full.test.ts.
 */
describeEveryPage([], {
  only: [
    'home',
    'progress',
    'account',
    'register-problem',
    'paste-token',
    'app-news',
    'app-news-tokens',
    'app-news-calls',
    'app-news-live',
    'app-news-move',
    'app-news-new-calls',
    'app-news-modern-client',
    'app-news-contacts-problem',
    'app-news-revoke',
    'connect',
    'form-expired',
    'registered',
    'secret-added',
    'secrets-two',
    'secret-retire',
    'rehearsal-begins',
    'support',
    'support-found',
    'support-token-stopped',
    'support-remind',
    'support-link-made',
    'support-account',
    'support-app-ticket-desk',
    'support-desks',
    'support-desk-undeliverable',
    'support-numbers',
    'support-api-keys',
    'support-api-key-made',
    'lifecycle',
    'migrate-calls',
    'signed-out-app',
    'signed-out-everywhere',
  ],
});
