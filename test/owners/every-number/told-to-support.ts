import { type Facts, isDone, LABELS, peopleIn, refused, refusedOnDay, type Token, waits } from './facts.ts';
import type { Place, Rule } from './rules.ts';
import { count, inPath, named } from './told-to-owners.ts';
import { APPS } from './world.ts';

/** What support reads, with the numbers that it has to be. */

const APP = `(?<app>${APPS.map(({ name }) => name).join('|')}|Old App|unidentified program: caller)`;

const apps = (tokens: readonly Token[]) => new Set(tokens.map(({ client_id: id }) => id));

const withoutAccount = ({ tokens }: Facts) =>
  new Set(
    tokens
      .filter((token) => token.account_id === null && waits(token))
      .flatMap((one) => one.account_email ?? []),
  ).size;

/** Apps with somebody who waits, as last counted. */
const waitingApps = ({ counted }: Facts) =>
  [...apps(counted)].filter((id) => peopleIn(counted.filter(({ client_id: of }) => of === id)) > 0).length;

const accountIn =
  ({ path }: Place) =>
  (token: Token) =>
    token.account_id !== null && path.includes(token.account_id);

const desks: Rule[] = [
  {
    on: /^\/support(?:$|\/desks$)/,
    says: 'Tokens without an account #',
    truth: (facts) => [withoutAccount(facts)],
  },
  {
    on: /^\/support(?:$|\/desks$)/,
    says: 'Apps with people who wait # (?:\\| [^0-9|]*)?(?:\\| )?[Aa]s counted TIME',
    truth: (facts) => [waitingApps(facts)],
  },
  {
    on: /^\/support\/desks\/(?:no-account|waiting)/,
    says: '(?:\\d+ to )?\\d+ of #(?= \\|| First| Next| Previous|$)',
    truth: (facts, { path }) => [path.includes('no-account') ? withoutAccount(facts) : waitingApps(facts)],
  },
  {
    on: /^\/support\/desks\/waiting/,
    says: `${APP} \\| # people \\| # tokens? to connect # tokens? connected`,
    truth: ({ counted }, { names }) => {
      const own = counted.filter(named(names['app']));
      return [peopleIn(own), count(own, waits), count(own, ({ state }) => state === 'active')];
    },
  },
  {
    on: /^\/support\/desks\/waiting/,
    says: '\\| All # \\| (?:Before their date|Refused already|Without a date) #(?= \\| Find)',
    truth: (facts) => [waitingApps(facts), waitingApps(facts)],
  },
  {
    on: /^\/support\/desks\/no-account/,
    says: '\\| All # \\| By address #(?= \\|)',
    truth: (facts) => [withoutAccount(facts), withoutAccount(facts)],
  },
  {
    on: /^\/support\/desks\/no-account/,
    says: 'ADDRESS \\| # tokens?',
    truth: () => [1],
  },
  { on: /^\/support\/desks/, says: 'within 30 days' },
  {
    on: /^\/support(?:\/desks)?$/,
    says: 'Connections that ended today #',
    truth: (facts, { path }) => [refusedOnDay(facts, path)],
  },
  {
    on: /^\/support\/desks$/,
    says: '(?:Connections in doubt|Mails that reached nobody|Hand-overs to be confirmed|Extensions that end|Tokens without a proven app) #',
    truth: () => [0],
  },
  {
    on: /^\/support\/desks\/died-today/,
    says: '(?<cause>Refused by the new API|Lost answer|Restored from an older backup|Ended on request|Replaced by a newer connection|Code never fetched by the app|Taken over by its app) (?:\\| )?#',
    truth: (facts, { path, names }) => [
      names['cause'] === 'Refused by the new API' ? refusedOnDay(facts, path) : 0,
    ],
  },
  {
    on: /^\/support\/desks\/died-today/,
    says: '# to # of #,',
    truth: (facts, { path }) => [1, refusedOnDay(facts, path), refusedOnDay(facts, path)],
  },
  {
    // All connections that end in this world are of one app.
    on: /^\/support\/desks\/died-today/,
    says: 'By app \\| (?:All apps[^|0-9]*\\| )?Widely #',
    truth: (facts, { path }) => [refusedOnDay(facts, path)],
  },
  { on: /^\/support/, says: 'an answer 401' },
  { on: /^\/support\/desks\/died-today/, says: 'Another of the last 30 days' },
  {
    on: /^\/support\/numbers$/,
    says: 'Refused by the new API (?:\\| )?#',
    truth: (facts) => [refused(facts)],
  },
  { on: /^\/support/, says: 'as it came: 1/…|1/ab12…yz89' },
  { on: /^\/support\/api-keys/, says: 'from 1 to 366 days' },
  {
    on: /^\/support$/,
    says: '# accounts?(?: \\(counted once for each app\\))? with # tokens at the client [^:0-9]*(?:, as counted at DATE)?:',
    truth: ({ counted }) => {
      const active = counted.filter(({ state }) => state === 'active');
      return [
        new Set(active.map(({ client_id: app, account_id: id }) => `${app} ${id}`)).size,
        active.length,
      ];
    },
  },
  { on: /^\/support$/, says: 'The calls of 30 days may need more' },
  {
    on: /^\/support$/,
    // What the new API told of its budget: the words and the tenth that is kept are held by tests of their own.
    says: 'In (?:15 minutes|1 day|30 days) the client may send [\\d,]+ requests, of which [\\d,]+ serve calls\\. [\\d,]+ are used and (?:about|at least) 0 will be added',
  },
];

const ofApp: Rule[] = [
  {
    on: /^\/support\/apps\//,
    says: '# in all',
    truth: ({ tokens }, place) => [count(tokens, inPath(place))],
  },
  {
    on: /^\/support\/apps\//,
    says: `# tokens? (?<label>${Object.keys(LABELS).join('|')})`,
    truth: ({ tokens }, place) => [
      count(tokens, inPath(place), ({ state }) => state === LABELS[place.names['label'] ?? '']),
    ],
  },
  {
    on: /^\/support\/(?:apps|mappings)\//,
    says: '(?:the|these) last 30 days|in 30 days|Most 500|[Oo]nce an hour',
  },
];

const MAPPING = /^\/support\/mappings\//;

const ofToken: Rule[] = [
  {
    on: MAPPING,
    says: 'caller/1.0 \\| (?<endpoint>/v1/[a-z/:_]+\\.json) \\| the header \\| #',
    truth: ({ calls }, place) => [
      calls.filter(({ token: one, endpoint }) => inPath(place)(one) && endpoint === place.names['endpoint'])
        .length,
    ],
  },
  {
    on: MAPPING,
    says: 'No call with this token (?:was ever seen|is known)',
    truth: ({ calls }, place) => calls.filter(({ token: one }) => inPath(place)(one)).map(() => 1),
  },
  { on: MAPPING, says: 'Version \\| [12], since TIME' },
  // The old API of the test knows no profile.
  { on: /^\/support\/(?:apps|mappings|requests)\//, says: 'ids of its profiles became known – 0 profiles' },
  { on: MAPPING, says: 'ADDRESS \\(# token, 0 apps\\)', truth: () => [1] },
];

const account: Rule[] = [
  {
    on: /^\/support\/accounts\//,
    says: `${APP} # tokens? (?<label>${Object.keys(LABELS).join('|')})`,
    truth: ({ tokens }, place) => [
      count(
        tokens,
        accountIn(place),
        named(place.names['app']),
        ({ state }) => state === LABELS[place.names['label'] ?? ''],
      ),
    ],
  },
  {
    on: /^\/support\/accounts\//,
    says: 'The first 100 of more',
  },
  {
    on: /^\/support\/accounts\//,
    says: 'in # browsers',
    truth: ({ browsers }, { path }) => [browsers[/[0-9a-f]{24}/.exec(path)?.[0] ?? ''] ?? 0],
  },
];

const sums = (tokens: readonly Token[]) => ({
  all: count(tokens, (token) => waits(token) || isDone(token)),
  done: count(tokens, isDone),
  active: count(tokens, ({ state }) => state === 'active'),
  moved: count(tokens, ({ state }) => state === 'migrated'),
  revoked: count(tokens, ({ state }) => state === 'revoked'),
  waiting: count(tokens, waits),
});

const share = ({ done, all }: ReturnType<typeof sums>) =>
  Math.max(done > 0 ? 1 : 0, Math.round((100 * done) / all));

const NUMBERS = /^\/support\/numbers$/;

const numbers: Rule[] = [
  {
    on: NUMBERS,
    says: '# of # tokens \\((?:under )?#%\\) are done: # are connected and # have moved\\. # tokens of # people still wait',
    truth: ({ counted }) => {
      const all = sums(counted);
      return [all.done, all.all, share(all), all.active, all.moved, all.waiting, peopleIn(counted)];
    },
  },
  {
    on: NUMBERS,
    says: '#% of tokens connected or moved \\| # tokens connected \\| # tokens moved to the new API \\| # tokens wait \\| # of # apps done',
    truth: ({ counted }) => {
      const all = sums(counted);
      const open = [...apps(counted)].filter((id) =>
        counted.some((one) => one.client_id === id && waits(one)),
      );
      const every = apps(counted).size;
      return [share(all), all.active, all.moved, all.waiting, every - open.length, every];
    },
  },
  {
    on: NUMBERS,
    says: 'Moved to the new API: from # to #\\. Connected: from # to #\\. Not connected: from # to #\\.',
    truth: ({ counted }) => {
      const { moved, active, waiting } = sums(counted);
      return [moved, moved, active, active, waiting, waiting];
    },
  },
  {
    on: NUMBERS,
    says: 'Waiting \\| DATE \\| # \\| # \\| #',
    truth: ({ counted }) => [sums(counted).moved, sums(counted).active, sums(counted).waiting],
  },
  {
    on: NUMBERS,
    says: 'Waiting: #\\. The most on one day: #, on DATE',
    truth: ({ counted }) => [sums(counted).waiting, sums(counted).all],
  },
  {
    on: NUMBERS,
    says: 'Refused by the new API: #\\. The most on one day: #, on DATE',
    truth: (facts) => [refused(facts), refused(facts)],
  },
  {
    on: NUMBERS,
    says: 'Refused by the new API \\| DATE (?:: What ended on DATE )?\\| #',
    truth: (facts) => [refused(facts)],
  },
  { on: NUMBERS, says: 'last 90 days|days=400|up to 400|in 30 days' },
  { on: NUMBERS, says: 'Sent \\| # \\| Reached nobody \\| #', truth: () => [0, 0] },
  {
    on: /^\/support\/numbers\.csv\?by=day/,
    says: 'DATE,#,#,#,#$',
    truth: ({ counted }) => {
      const { active, waiting, moved, revoked } = sums(counted);
      return [active, waiting, moved, revoked];
    },
  },
  { on: /^\/support\/numbers\.csv\?by=day/, says: 'DATE,0,0,0,0(?= )' },
  {
    on: /^\/support\/numbers\.json\?by=day/,
    says: '"active":#,"waiting":#,"migrated":#,"revoked":#\\}(?= \\])',
    truth: ({ counted }) => {
      const { active, waiting, moved, revoked } = sums(counted);
      return [active, waiting, moved, revoked];
    },
  },
  { on: /^\/support\/numbers\.json\?by=day/, says: '"active":0,"waiting":0,"migrated":0,"revoked":0\\},' },
  {
    on: /^\/support\/numbers\.csv\?by=app/,
    says: `ID,${APP},DATE,#,#,#,#,#,#`,
    truth: ofOneApp,
  },
  {
    on: /^\/support\/numbers\.json\?by=app/,
    says: `"app_name":"${APP}","day":"DATE","active":#,"unmapped":#,"reauthorization_required":#,"migrated":#,"revoked":#,"waiting_people":#`,
    truth: ofOneApp,
  },
  { on: /^\/support\/numbers\.json/, says: '"days":90' },
  {
    on: /^\/support\/numbers\.json/,
    says: '"forecast":\\{"outcome":"too_few_days","as_of":"DATE","waiting":#',
    truth: ({ counted }) => [sums(counted).waiting],
  },
  {
    on: /^\/support\/numbers\.json\?by=forecast/,
    says: `"app_name":"${APP}","outcome":"(?:too_few_days|done)","as_of":"DATE","waiting":#`,
    truth: waitingOfOneApp,
  },
  {
    on: /^\/support\/numbers\.csv\?by=forecast/,
    says: `ID,${APP},(?:too_few_days|done),DATE,#`,
    truth: waitingOfOneApp,
  },
];

function ofOneApp({ counted }: Facts, { names }: Place): number[] {
  const own = counted.filter(named(names['app']));
  const states = ['active', 'unmapped', 'reauthorization_required', 'migrated', 'revoked'] as const;
  return [...states.map((is) => count(own, ({ state }) => state === is)), peopleIn(own)];
}

function waitingOfOneApp({ counted }: Facts, { names }: Place): number[] {
  return [count(counted.filter(named(names['app'])), waits)];
}

export const TOLD_TO_SUPPORT: readonly Rule[] = [...desks, ...ofApp, ...ofToken, ...account, ...numbers];
