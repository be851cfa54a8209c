import { describeEveryPage } from './support/every-page.ts';

/** Of templates that several addresses share, one is enough here; other tests look at some. */
const REPEATS =
  /(?<!app)-unknown$|^empty-desk-|^app-moved-|^app-of-another-|support-app-(?!ticket)|support-desk-(?!died|undel)|support-token-of-|support-token-waiting|support-(pin|assign|probe|revoke|unextend|link|account-tom)$|-unknown-token|^(start|lifecycle|nowhere|register|app-moved|signed-out-app|support-nothing|support-extend|empty-(desks|progress))$|^app-program|^support-found-person/;

/** Every kind of page as a phone shows it by day; all-pages.long.test.ts looks at all of them in the other views. */
describeEveryPage([], { without: REPEATS });
