import type { Page } from 'playwright-core';
import type { Person } from '../support/callers/authorize.ts';

/** What a person does on the pages, by the words that stand there. */

/** Waits for a page with this heading; fails when it does not come. */
export async function seeHeading(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { name, exact: true }).waitFor({ timeout: 30_000 });
}

export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
}

export async function follow(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name, exact: true }).click();
}

/** From the demo's first page to the approval. */
export async function startAt(page: Page, demoUrl: string): Promise<void> {
  await page.goto(demoUrl);
  await follow(page, 'Connect');
}

export async function signIn(page: Page, { login, password }: Person): Promise<void> {
  await page.getByLabel('E-mail').fill(login);
  await page.getByLabel('Password').fill(password);
  await press(page, 'Sign in');
}

/** From the approval to the modern consent page, which is left open. */
export async function reachConsent(page: Page, person: Person): Promise<void> {
  await press(page, 'Allow');
  await signIn(page, person);
}

/** From the approval through sign-in and consent. */
export async function allowAll(page: Page, person: Person): Promise<void> {
  await reachConsent(page, person);
  await press(page, 'Allow');
}
