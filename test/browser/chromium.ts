import { existsSync } from 'node:fs';
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type ConsoleMessage,
  type Page,
} from 'playwright-core';

const executablePath = '/usr/bin/chromium';
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Undefined, or why the tests with a real browser cannot run on this machine. */
export const browserMissing = existsSync(executablePath)
  ? undefined
  : `there is no ${executablePath} on this machine (on Debian: sudo apt-get install chromium)`;

export async function openChromium(): Promise<Browser> {
  return chromium.launch({ executablePath, args });
}

/** One person's browser, with empty cookies; its tabs share what it complains about. */
export interface Visitor {
  newTab(): Promise<Page>;
  /** Errors on the console, scripts that failed, violations of the content security policy. */
  complaints: string[];
  leave(): Promise<void>;
}

// The status of the page itself is told on the console too; an error page is meant to have one.
function isAboutThePage(message: ConsoleMessage, page: Page): boolean {
  return message.text().startsWith('Failed to load resource') && message.location().url === page.url();
}

export async function newVisitor(browser: Browser, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const complaints: string[] = [];
  return {
    async newTab() {
      const page = await context.newPage();
      page.on('console', (message) => {
        if (message.type() === 'error' && !isAboutThePage(message, page))
          complaints.push(`${page.url()}: ${message.text()} (${message.location().url})`);
      });
      page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
      return page;
    },
    complaints,
    leave: () => context.close(),
  };
}
