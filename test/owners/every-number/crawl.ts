import type { CookieWalker, Page } from '../../support/callers/cookie-walker.ts';

/** Reads every page that a person can reach by links, and the numbers that stand there with the words about them. */

/** Addresses that differ in ids alone say the same things of other apps and tokens; so many of each are read. */
const OF_ONE_SHAPE = 9;

const shapeOf = (path: string) =>
  path.replaceAll(/[0-9a-f]{24}/g, ':id').replaceAll(/(after|back)=[^&]*/g, '$1');

const linksIn = ({ body, url }: Page): string[] =>
  [...body.matchAll(/href="([^"#]+)/g)].flatMap(([, href = '']) => {
    const to = new URL(href.replaceAll('&amp;', '&'), url);
    return to.origin === new URL(url).origin ? [to.pathname + to.search] : [];
  });

/** One person may take ten files of apps in a minute. `test/owners/files` holds them against the database. */
const FILE_OF_APP = /^\/apps\/[0-9a-f]{24}\/(?:tokens|calls)\.(?:csv|json)/;

const isPage = (path: string) =>
  /^\/(apps|support|lifecycle|migrate|numbers)/.test(path) && !FILE_OF_APP.test(path);

/** The pages behind all links, by their paths. */
export async function crawl(
  browser: CookieWalker,
  origin: string,
  starts: readonly string[],
): Promise<Map<string, Page>> {
  const pages = new Map<string, Page>();
  const shapes = new Map<string, number>();
  const open = [...starts];
  for (let path = open.shift(); path !== undefined; path = open.shift()) {
    const shape = shapeOf(path);
    const known = shapes.get(shape) ?? 0;
    if (pages.has(path) || !isPage(path) || (known >= OF_ONE_SHAPE && !starts.includes(path))) continue;
    shapes.set(shape, known + 1);
    const page = await browser.get(`${origin}${path}`);
    pages.set(path, page);
    open.push(...linksIn(page));
  }
  return pages;
}

const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

const MONTH = '(?:Jan|Feb|March|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]*';

/** What holds digits and counts nothing: each becomes a word, so that what is left are numbers. */
const NO_NUMBERS: ReadonlyArray<readonly [RegExp, string]> = [
  [/<time(?! class="days")[\s\S]*?<\/time>/g, ' TIME '],
  // What stands beside the axes of a chart is its scale.
  [/<text\b[\s\S]*?<\/text>/g, ' '],
  [/<(pre|style|script|head)\b[\s\S]*?<\/\1>/g, ' '],
  [/<wbr>/g, ''],
  [/<(\/?)(?:p|li|h\d|td|th|tr|dt|dd|div|section|title|desc|summary|ul|table|caption)\b[^>]*>/g, ' | '],
  [/<[^>]*>/g, ' '],
  [/&(?:amp|lt|gt|quot|#39);/g, ''],
  [/\S+@\S+\.example/g, 'ADDRESS'],
  [/https?:\/\/\S+/g, 'URL'],
  [/1\/([0-9a-f]{4})…([0-9a-f]{4})/g, '‹$1…$2›'],
  [/\b[0-9a-f]{24}\b/g, 'ID'],
  [/\/1\/(?=[a-z:])/g, '/v1/'],
  [/\d+\.\d+\.\d+\.\d+\/\d+/g, 'NETWORK'],
  [new RegExp(`\\b\\d{1,2} ${MONTH}(?: \\d{4})?(?: at \\d\\d:\\d\\d UTC)?`, 'g'), 'DATE'],
  [/\b\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?/g, 'DATE'],
  [/(\s*\|\s*)+/g, ' | '],
  [/\s+/g, ' '],
];

/** What a page says, with times, dates, code and addresses left out: its main part, or all of what is no page. */
export function textOf({ body }: Pick<Page, 'body'>): string {
  const main = /<main[^>]*>([\s\S]*)<\/main>/.exec(body)?.[1] ?? body;
  const text = main.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
  return NO_NUMBERS.reduce((said, [found, word]) => said.replaceAll(found, word), text).trim();
}

/** Where numbers stand in a text. */
export const numbersIn = (text: string) => [...text.matchAll(/(?<![\w‹…v/.])\d[\d,]*(?:\.\d+)?(?![\w›…])/g)];
