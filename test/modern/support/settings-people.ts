import type { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { SECOND } from './modern.ts';
import { base, withModern } from './running-modern.ts';
import { signedIn } from './settings.ts';

/** The browsers of the two demo people, signed in to the settings. */

export let dana: CookieWalker;
export let sam: CookieWalker;

/** One modern generation for all tests of a file, with Dana signed in. */
export function withDana(): void {
  withModern();
  beforeAll(async () => void (dana = await signedIn(base)));
}

/** The same with Sam signed in too. */
export function withDanaAndSam(): void {
  withDana();
  beforeAll(async () => void (sam = await signedIn(base, SECOND)));
}
