import { type Facts, isCallRefused, isDone, LABELS, peopleIn, refused, type Token, waits } from './facts.ts';
import type { Place, Rule } from './rules.ts';
import { count, inPath, named } from './told-to-owners.ts';
import { APP, apps, TOLD_ON_DESKS } from './told-on-desks.ts';

/** What support reads, with the numbers that it has to be. */

const accountIn =
  ({ path }: Place) =>
  (token: Token) =>
    token.account_id !== null && path.includes(token.account_id);

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
    on: /^\/support\/apps\//,
    says: '# tokens? (?:has|have) stopped: (?:its|their) calls',
    truth: ({ tokens }, place) => [
      count(tokens, inPath(place), ({ state }) => state === 'reauthorization_required'),
    ],
  },
  {
    on: /^\/support\/apps\//,
    says: '# tokens? (?:is|are) not connected yet',
    truth: ({ tokens }, place) => [count(tokens, inPath(place), ({ state }) => state === 'unmapped')],
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
    says: 'caller/1.0 \\| (?<endpoint>/v1/[a-z/:_]+\\.json) \\| the header \\| # \\| #',
    truth: ({ calls }, place) => {
      const isOfRow = ({ token: one, endpoint }: (typeof calls)[number]) =>
        inPath(place)(one) && endpoint === place.names['endpoint'];
      const made = calls.filter(isOfRow);
      return [made.length, made.filter(isCallRefused).length];
    },
  },
  {
    on: MAPPING,
    says: 'No call with this token (?:was ever seen|is known)',
    truth: ({ calls }, place) => calls.filter(({ token: one }) => inPath(place)(one)).map(() => 1),
  },
  { on: MAPPING, says: 'Version \\| [12], since TIME' },
  // The old API of the test knows no profile.
  { on: /^\/support\/(?:apps|mappings|requests)\//, says: 'ids of its profiles became known – 0 profiles' },
  { on: MAPPING, says: 'ADDRESS \\(# token\\)', truth: () => [1] },
  {
    on: /^\/support\/requests\//,
    says: 'This page has # (?:later )?entr(?:y|ies) of the request',
    truth: (_facts, { text }) => [text.match(/TIME\s*, by /g)?.length ?? 0],
  },
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
  { on: NUMBERS, says: 'last 90 days|days=400|up to 400|in the last 30 days' },
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

export const TOLD_TO_SUPPORT: readonly Rule[] = [
  ...TOLD_ON_DESKS,
  ...ofApp,
  ...ofToken,
  ...account,
  ...numbers,
];
