import {
  type AccountFound,
  accountsNamed,
  type AppFound,
  listForNames,
} from '../../store/support/support-search.ts';
import type { SupportDeps } from './deps.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';

/**
 * Finds apps by a part of their name, and people by the beginning of theirs. The search reads the names of all apps,
 * because the databases differ in what they take for a small letter. There are too many people to read all their names.
 */

/** How many names of apps are read at once. Between two readings the process serves other work. */
const AT_ONCE = 1000;

/** How many names are read at most; there are some thousands of apps. */
const NAMES_MAX = 50_000;

const folded = (text: string) => text.normalize('NFKC').toLowerCase();

const alphabet = new Intl.Collator('en');

interface RankedApp {
  app: AppFound;
  /** 0 where the name begins with the wanted text. */
  place: number;
}

function placesIn(apps: readonly AppFound[], wanted: string): RankedApp[] {
  return apps.flatMap((app) => {
    const place = folded(app.name).indexOf(wanted);
    return place < 0 ? [] : [{ app, place: Math.min(place, 1) }];
  });
}

const inOrder = (one: RankedApp, other: RankedApp) =>
  one.place - other.place || alphabet.compare(one.app.name, other.app.name);

/** The first matching apps by name. Names that begin with the text come before names that only contain the text. */
export async function appsByName(
  { store }: Pick<SupportDeps, 'store'>,
  name: string,
  limit: number,
): Promise<AppFound[]> {
  const wanted = folded(name);
  let found: RankedApp[] = [];
  let after = '';
  for (let seen = 0; seen < NAMES_MAX; seen += AT_ONCE) {
    const apps = await listForNames(store.durable, { after, limit: AT_ONCE });
    found = [...found, ...placesIn(apps, wanted)].toSorted(inOrder).slice(0, limit);
    if (apps.length < AT_ONCE) break;
    after = apps.at(-1)?.client_id ?? '';
    await yieldToEventLoop();
  }
  return found.map(({ app }) => app);
}

/** A shorter text must be a whole name. */
const BEGINNING_MIN = 3;

/**
 * SQLite folds only the letters of English. Other letters are tried in lower case, with capitals as names have them,
 * and as typed.
 */
function spellings(name: string): string[] {
  const small = name.toLowerCase();
  const titled = small.replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase());
  const all = [name, small, titled].map((one) => one.replace(/[A-Z]/g, (letter) => letter.toLowerCase()));
  return [...new Set(all)];
}

/** People by their whole name or its beginning. One person may be in the answer twice. */
export async function accountsByName(
  { store }: Pick<SupportDeps, 'store'>,
  name: string,
  limit: number,
): Promise<AccountFound[]> {
  const isWhole = name.length < BEGINNING_MIN;
  const found = await Promise.all(
    spellings(name).map((one) => accountsNamed(store.durable, { name: one, isWhole }, limit)),
  );
  return found.flat();
}
