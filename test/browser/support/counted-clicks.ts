import type { BrowserContext } from 'playwright-core';

/** What was clicked in a browser, by the words on it, as the pages themselves see it: a key or a redirect is no click. */
export interface CountedClicks {
  readonly words: string[];
}

const LISTEN = `addEventListener('click', ({ target, isTrusted, detail }) => {
  const pressed = target instanceof Element && target.closest('a, button, summary, input[type=submit]');
  if (pressed && isTrusted && detail > 0) countClick(pressed.innerText || pressed.value);
}, true)`;

/** Counts from now on, in all tabs of a browser. Clicks into a field, to type, do not count. */
export async function countClicks(context: BrowserContext): Promise<CountedClicks> {
  const words: string[] = [];
  await context.exposeFunction(
    'countClick',
    (text: string) => void words.push(text.trim().replace(/\s+/g, ' ')),
  );
  await context.addInitScript(LISTEN);
  return { words };
}
