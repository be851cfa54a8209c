import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import { type RawAnswer, type RawRequest, sendRaw } from '../../support/callers/raw-request.ts';
import type { Collection, Kind } from './collection.ts';
import type { Place } from './search.ts';

/** Everything that the bridge and the modern side answered to a browser or a program, part by part. */

/**
 * The protocol itself hands out these, one of its own per answer; a later answer may hold none of them.
 * Everything else, and the same kind in any other part, is a finding.
 */
const MAY_HOLD: ReadonlyArray<readonly [answer: RegExp, part: string, kinds: readonly Kind[]]> = [
  [/^GET \/approve\/:id$/, 'body', ['form token']],
  [/^GET \/approve\/:id$/, 'set-cookie', ['browser cookie']],
  [/^POST \/approve\/:id$/, 'location', ['upstream state', 'app state']],
  [/^GET \/callback$/, 'location', ['legacy code', 'app state']],
  [/^GET (\/1)?\/oauth2\/authorize$/, 'location', ['app state']],
  [/^POST \/1\/oauth2\/token(\.json)?$/, 'body', ['legacy token']],
];

/**
 * The modern side hands out these itself, in redirects whose body repeats the address and in cookies bound to a path; its
 * demo's sign-in page names the password. What is the bridge's stays a finding there too.
 */
const MODERN_OWN: readonly Kind[] = ['modern code', 'upstream state', 'modern cookie', 'password'];

export interface Answers {
  places: Place[];
  /** A program's call. */
  ask(request: RawRequest): Promise<RawAnswer>;
  /** A person's browser. */
  browser(): WatchedBrowser;
}

interface Said {
  headers: Record<string, unknown>;
  text: string;
}

/** An answer's name holds no id and no secret. */
const nameOf = (method: string, path: string) =>
  `${method} ${(path.split('?')[0] ?? '').replace(/(?:[a-z0-9]{1,16}\.)?[\w%-]{20,}/g, ':id')}`;

function kindsIn(answer: string, part: string): readonly Kind[] {
  return MAY_HOLD.flatMap(([known, where, kinds]) => (known.test(answer) && where === part ? kinds : []));
}

/** `Set-Cookie` line by line, for each is an answer of its own to the question whose value it is. */
function partsOf(answer: string, { headers, text }: Said): Place[] {
  const { location, 'set-cookie': cookies, ...rest } = headers;
  const place = (part: string, content: unknown): Place => ({
    where: `the ${part} of ${answer}`,
    text: typeof content === 'string' ? content : JSON.stringify(content ?? ''),
    may: kindsIn(answer, part),
    owns: answer.startsWith('modern ') ? MODERN_OWN : [],
  });
  const lines = Array.isArray(cookies) ? cookies : [cookies];
  return [
    place('body', text),
    place('location', location),
    place('headers', rest),
    ...lines.map((line: unknown) => place('set-cookie', line)),
  ];
}

class WatchedBrowser extends CookieWalker {
  readonly #see: (method: string, page: Page) => void;
  constructor(see: (method: string, page: Page) => void) {
    super();
    this.#see = see;
  }
  override async get(...call: Parameters<CookieWalker['get']>): Promise<Page> {
    const page = await super.get(...call);
    this.#see('GET', page);
    return page;
  }
  override async post(...call: Parameters<CookieWalker['post']>): Promise<Page> {
    const page = await super.post(...call);
    this.#see('POST', page);
    return page;
  }
}

/** What a page of the bridge gives to a browser. */
function learn(collection: Collection, { body, headers, location }: Page): void {
  collection.add('form token', /name="_form" value="([^"]+)"/.exec(body)?.[1]);
  if (location?.includes('code_challenge='))
    collection.add('upstream state', new URL(location).searchParams.get('state'));
  for (const line of headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    collection.add(
      name.includes('gb_browser') ? 'browser cookie' : 'modern cookie',
      value.length > 20 ? value : '',
    );
  }
}

/** Watches what is answered at the bridge's address; pages from elsewhere are the modern side's. */
export function watchAnswers(bridgeUrl: string, collection: Collection): Answers {
  const places: Place[] = [];
  const see = (method: string, page: Page) => {
    const { origin, pathname } = new URL(page.url);
    learn(collection, page);
    const answer = `${origin === bridgeUrl ? '' : 'modern '}${nameOf(method, pathname)}`;
    const cookies = page.headers.getSetCookie();
    const headers = { ...Object.fromEntries(page.headers), location: page.location, 'set-cookie': cookies };
    places.push(...partsOf(answer, { headers, text: page.body }));
  };
  return {
    places,
    browser: () => new WatchedBrowser(see),
    async ask(request) {
      const answer = await sendRaw(bridgeUrl, request);
      const name = nameOf(request.method ?? 'GET', request.path);
      places.push(...partsOf(name, { headers: answer.headers, text: answer.text }));
      return answer;
    },
  };
}
