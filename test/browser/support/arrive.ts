import type { Page } from 'playwright-core';
import type { Person } from '../../support/callers/authorize.ts';
import { press, signIn } from '../steps.ts';

/** Presses Allow at the modern side, if it asks. */
export async function allow(page: Page): Promise<void> {
  await press(page, 'Allow');
}

/** Opens a page that asks for a sign-in, signs in at the modern side, and is back on it. */
export async function arriveAt(page: Page, address: string, person: Person): Promise<void> {
  await page.goto(address);
  await signIn(page, person);
  const isThere = page.waitForURL((url) => url.href.startsWith(address));
  // Only the first sign-in of an account is asked for.
  const asks = page.getByRole('button', { name: 'Allow', exact: true });
  await Promise.race([isThere, asks.click().catch(() => undefined)]);
  await isThere;
}
