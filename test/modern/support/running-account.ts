import type { SMTPServerOptions } from 'smtp-server';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { type AccountPages, type Person, startAccountPages } from './account-pages.ts';
import { signedIn, signInToSettings } from './settings.ts';

/** The account pages that the tests of a file open, and their address. */

export let pages: AccountPages;
export let base: string;
export let browserOfDana: CookieWalker;

/** One modern generation for all tests of a file, whose mail server behaves as `options` say. */
export function withAccountPages(options?: SMTPServerOptions): void {
  beforeAll(async () => {
    pages = await startAccountPages(options);
    base = pages.base;
  });
  afterAll(() => pages.stop());
}

/** The same with the first demo person, Dana, signed in to the settings. */
export function withAccountOfDana(): void {
  withAccountPages();
  beforeAll(async () => void (browserOfDana = await signedIn(base)));
}

/** A sign-in of this person in a browser of its own. */
export const trySignIn = (person: Person) => signInToSettings(new CookieWalker(), base, { person });
