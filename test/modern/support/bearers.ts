import { type Ask, asker, bearerFor } from './api-caller.ts';
import { SECOND } from './modern.ts';
import { base, withModern } from './running-modern.ts';

/** Access tokens with every scope, and the main API asked with them. */

/** Of the first demo person. */
export let bearer: string;
export let ask: Ask;
/** The main API as the second demo person asks it. */
export let askSecond: Ask;

/** One modern generation for all tests of a file, with a bearer of the first demo person. */
export function withBearer(): void {
  withModern();
  beforeAll(async () => {
    bearer = await bearerFor(base);
    ask = asker(base, bearer);
  });
}

/** The same with a bearer of the second demo person too. */
export function withTwoBearers(): void {
  withBearer();
  beforeAll(async () => void (askSecond = asker(base, await bearerFor(base, SECOND))));
}
