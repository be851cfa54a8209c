import type { ModernSettings } from '../../../src/modern/settings.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { consent } from './modern.ts';
import { base, withModern } from './running-modern.ts';

/** The browser of a person who is signed in and has allowed the public app once. */
export const browser = new CookieWalker();

/** One modern generation for all tests of a file, at which the person of `browser` has consented. */
export function withConsentingBrowser(overrides?: Partial<ModernSettings>): void {
  withModern(overrides);
  beforeAll(() => consent({ base, browser }));
}
