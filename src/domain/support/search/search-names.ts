import {
  type AccountFound,
  accountsNamed,
  type AppFound,
  type AppWords,
  listForNames,
} from '../../../store/support/support-search.ts';
import type { SupportDeps } from '../deps.ts';
import { yieldToEventLoop } from '../../work/yield-to-event-loop.ts';
import { folded, isNearIn, nearWords, spellingsOf } from '../../people/near-words.ts';

/**
 * Finds apps by a part of their name, of their owner's address or of the host of a callback, and people by the beginning
 * of their name. The search reads the words of all apps, because the databases differ in what they take for a small
 * letter.
 */

/** How many apps are read at once. Between two readings the process serves other work. */
const AT_ONCE = 1000;

/** How many apps are read at most; there are some thousands. */
const NAMES_MAX = 50_000;

const alphabet = new Intl.Collator('en');

interface RankedApp {
  app: AppFound;
  /** 0 where the name begins with the wanted text. */
  place: number;
}

export interface AppsFound {
  apps: AppFound[];
  /** Whether there are more apps than were read. */
  isCut: boolean;
}

function hostOf(uri: string): string {
  return URL.canParse(uri) ? new URL(uri).host : '';
}

/** Where a text stands among the words of an app: in its name, else in another word. */
function placeOf({ app, owner_email: email, callbacks }: AppWords, wanted: string): number | undefined {
  const place = folded(app.name).indexOf(wanted);
  if (place >= 0) return Math.min(place, 1);
  const isBeside = [email ?? '', ...callbacks.map(hostOf)].some((text) => folded(text).includes(wanted));
  return isBeside ? 2 : undefined;
}

const isNearTo =
  (wanted: readonly string[]) =>
  ({ app, callbacks }: AppWords) =>
    isNearIn(app.name, wanted) || callbacks.some((uri) => isNearIn(hostOf(uri), wanted));

const inOrder = (one: RankedApp, other: RankedApp) =>
  one.place - other.place || alphabet.compare(one.app.name, other.app.name);

type PlaceIn = (words: AppWords) => number | undefined;

async function appsWith(
  { store }: Pick<SupportDeps, 'store'>,
  placeIn: PlaceIn,
  limit: number,
): Promise<AppsFound> {
  let found: RankedApp[] = [];
  let after = '';
  for (let seen = 0; seen < NAMES_MAX; seen += AT_ONCE) {
    const apps = await listForNames(store.durable, { after, limit: AT_ONCE });
    const ranked = apps.map((words) => ({ app: words.app, place: placeIn(words) }));
    const fitting = ranked.filter((one): one is RankedApp => one.place !== undefined);
    found = [...found, ...fitting].toSorted(inOrder).slice(0, limit);
    if (apps.length < AT_ONCE) return { apps: found.map(({ app }) => app), isCut: false };
    after = apps.at(-1)?.app.client_id ?? '';
    await yieldToEventLoop();
  }
  return { apps: found.map(({ app }) => app), isCut: true };
}

/** The first apps with a text among their words. Names that begin with the text come first, then names that hold it. */
export function appsByName(
  context: Pick<SupportDeps, 'store'>,
  text: string,
  limit: number,
): Promise<AppsFound> {
  const wanted = folded(text);
  return appsWith(context, (words) => placeOf(words, wanted), limit);
}

/** The first apps with a name or a callback that is nearly alike. */
export async function appsNearly(
  context: Pick<SupportDeps, 'store'>,
  text: string,
  limit: number,
): Promise<AppsFound> {
  const isFitting = isNearTo(nearWords(text));
  return appsWith(context, (words) => (isFitting(words) ? 0 : undefined), limit);
}

/** A shorter text must be a whole name. */
const BEGINNING_MIN = 3;

/** People by their whole name or its beginning. One person may be in the answer twice. */
export async function accountsByName(
  { store }: Pick<SupportDeps, 'store'>,
  name: string,
  limit: number,
): Promise<AccountFound[]> {
  const isWhole = name.length < BEGINNING_MIN;
  const found = await Promise.all(
    spellingsOf(name).map((one) => accountsNamed(store.durable, { name: one, isWhole }, limit)),
  );
  return found.flat();
}
