import { type Facts, peopleIn, refused, refusedOnDay, type Token, waits } from './facts.ts';
import type { Rule } from './rules.ts';
import { count, named } from './told-to-owners.ts';
import { APPS } from './world.ts';

/** What support reads on the desks and on its first page, with the numbers that it has to be. */

export const APP = `(?<app>${APPS.map(({ name }) => name).join('|')}|Old App|unidentified program: caller)`;

export const apps = (tokens: readonly Token[]) => new Set(tokens.map(({ client_id: id }) => id));

const withoutAccount = ({ tokens }: Facts) =>
  new Set(
    tokens
      .filter((token) => token.account_id === null && waits(token))
      .flatMap((one) => one.account_email ?? []),
  ).size;

/** Apps with somebody who waits, as last counted. */
const waitingApps = ({ counted }: Facts) =>
  [...apps(counted)].filter((id) => peopleIn(counted.filter(({ client_id: of }) => of === id)) > 0).length;

export const TOLD_ON_DESKS: readonly Rule[] = [
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
  { on: /^\/support\/desks/, says: 'within (?:the last )?30 days' },
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
    says: '(?:What stopped, by app \\| With those that are connected again since\\.|By app, of this cause: [^|0-9]*) \\| (?:All apps[^|0-9]*\\| )?Widely #',
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
