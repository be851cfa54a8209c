import { type Facts, isAlive, isDone, LABELS, peopleIn, type Token, waits } from './facts.ts';
import type { Place, Rule } from './rules.ts';
import { APPS } from './world.ts';

/** What owners and holders read, with the numbers that it has to be. */

const APP = `(?<app>${APPS.map(({ name }) => name).join('|')}|Old App|unidentified program: caller)`;

/** What an address names: an app, or a token. */
const inPath =
  ({ path }: Place) =>
  (token: Token) =>
    path.includes(token.client_id) || path.includes(token.id);

const named = (name: string | undefined) => (token: Token) => token.app === name;

const count = (tokens: readonly Token[], ...are: Array<(token: Token) => boolean>) =>
  tokens.filter((token) => are.every((is) => is(token))).length;

const of =
  ({ reader }: Place) =>
  (token: Token) =>
    token.account_id === reader;

const labelled = (label: string | undefined) => (token: Token) => token.state === LABELS[label ?? ''];

const PROGRAM = 'unidentified program: caller';

/** The name that stands last before a place between bars, or between quotation marks; one program is not told by its name. */
function lastNamed({ text, index }: Place): string | undefined {
  const said = text.slice(0, index).replaceAll('| A program that nobody registered', `| ${PROGRAM} |`);
  return [...said.matchAll(new RegExp(`(?:\\| |“)${APP}(?: \\||”)`, 'g'))].at(-1)?.groups?.['app'];
}

const isRegistered = ({ text, index }: Place) => text.lastIndexOf('Apps that use your account', index) < 0;

const callsWhere = ({ calls }: Facts, ...are: Array<(token: Token) => boolean>) =>
  calls.filter(({ token }) => are.every((is) => is(token))).length;

/** The calls of the card of an app on the first page. */
function callsOfCard(facts: Facts, place: Place): number[] {
  const app = named(lastNamed(place));
  return [isRegistered(place) ? callsWhere(facts, app) : callsWhere(facts, app, of(place))];
}

/** Whose calls the pages of an app tell: the owner is told all, another person the own. */
function callsTold(facts: Facts, place: Place, endpoint?: string) {
  const { calls } = facts;
  return calls.filter(({ token, endpoint: called }) => {
    if (!inPath(place)(token) || (endpoint !== undefined && called !== endpoint)) return false;
    return token.owner === place.reader || place.path.startsWith('/support') || of(place)(token);
  }).length;
}

/** What charts call the calls of this world. */
const TOPICS: Readonly<Record<string, string>> = {
  Account: '/v1/user.json',
  Profiles: '/v1/profiles.json',
};

const TOPIC = Object.keys(TOPICS).join('|');

/** The calls about what was caught under this name. */
const callsAbout = (facts: Facts, place: Place, name: string) =>
  callsTold(facts, place, TOPICS[place.names[name] ?? '']);

const OWN = /^\/apps(?:$|\/)/;
const HOME = /^\/apps$/;
const OF_APP = /^\/apps\/[0-9a-f]{24}/;
const OVERVIEW = /^\/apps\/[0-9a-f]{24}$/;
const CALLS = /^\/(?:apps\/[0-9a-f]{24}(?:\/calls.*)?|support\/(?:apps|mappings)\/[0-9a-f]{24}.*)$/;
const MOVE = /\/move$/;

const HINT = '‹(?<hint>[0-9a-f…]+)›';

const home: Rule[] = [
  {
    on: HOME,
    says: 'Connect once, and # tokens? works?',
    truth: (facts, place) => [count(facts.tokens, named(lastNamed(place)), of(place), waits)],
  },
  {
    on: HOME,
    says: `${APP}: # (?:person|people)\\.`,
    truth: ({ tokens }, { names, reader }) => [peopleIn(tokens.filter(named(names['app'])), reader)],
  },
  {
    on: HOME,
    says: `# tokens? (?<label>${Object.keys(LABELS).join('|')})`,
    truth: ({ tokens }, place) => {
      const app = named(lastNamed(place));
      const label = labelled(place.names['label']);
      return [isRegistered(place) ? count(tokens, app, label) : count(tokens, app, label, of(place))];
    },
  },
  { on: HOME, says: '# calls? in the last 30 days', truth: callsOfCard },
  {
    on: HOME,
    says: '(?<none>No) call (?:in the last 30 days|since DATE)',
    truth: (facts, place) => [...callsOfCard(facts, place)].filter((n) => n > 0),
  },
];

const ofApp: Rule[] = [
  {
    on: OF_APP,
    says: '# (?:tokens of (?:yours|your own account) (?:wait|work|are)|of them are yours, and not connected)',
    truth: ({ tokens }, place) => [count(tokens, inPath(place), of(place), waits)],
  },
  {
    on: OVERVIEW,
    says: `# tokens? (?<label>${Object.keys(LABELS).join('|')})`,
    truth: ({ tokens }, place) => {
      const isOfAll = place.text.lastIndexOf('All tokens of this app', place.index) > 0;
      const label = labelled(place.names['label']);
      return [isOfAll ? count(tokens, inPath(place), label) : count(tokens, inPath(place), label, of(place))];
    },
  },
  {
    on: OVERVIEW,
    says: '# in the last 30 days, the last one',
    truth: (facts, place) => [callsTold(facts, place)],
  },
  {
    on: OF_APP,
    says: '(?<none>None was seen yet|None since TIME|No call (?:in the last \\d+ days|since (?:TIME|DATE)|with)|No call of the old API)',
    truth: (facts, place) => (callsTold(facts, place) > 0 ? [callsTold(facts, place)] : []),
  },
  {
    on: OF_APP,
    says: 'all # of its tokens end',
    truth: ({ tokens }, place) => [count(tokens, inPath(place), of(place), isAlive)],
  },
  {
    on: OF_APP,
    says: `${HINT} \\| (?<row>(?:(?!‹)[^0-9])*) \\| (?:TIME|never seen|not known) \\| #`,
    truth: ({ calls }, { names }) => [calls.filter(({ hint }) => hint === names['hint']).length],
  },
  {
    on: OVERVIEW,
    says: '(?:All|[Aa]t least) # connected accounts? ha(?:s|ve) consented to posts',
    truth: ({ tokens }, place) => [
      new Set(
        tokens.filter((token) => inPath(place)(token) && token.state === 'active').map((t) => t.account_id),
      ).size,
    ],
  },
];

const calls: Rule[] = [
  {
    on: CALLS,
    says: `(?<topic>${TOPIC}): #\\.`,
    truth: (facts, place) => [callsAbout(facts, place, 'topic')],
  },
  {
    on: CALLS,
    says: 'in the (?:header|address|body): #\\.',
    truth: (facts, place) => [callsTold(facts, place)],
  },
  { on: CALLS, says: 'The most on one day: #,? on DATE', truth: (facts, place) => [callsTold(facts, place)] },
  {
    on: CALLS,
    says: '(?<endpoint>/v1/[a-z/:_]+\\.json) \\| the (?:header|address|body) \\| caller/1.0 \\| #',
    truth: (facts, place) => [callsTold(facts, place, place.names['endpoint'])],
  },
  {
    on: CALLS,
    says: `Day \\(UTC\\) \\| (?<one>${TOPIC}) \\| DATE \\| #`,
    truth: (facts, place) => [callsAbout(facts, place, 'one')],
  },
  {
    on: CALLS,
    says: `Day \\(UTC\\) \\| (?<one>${TOPIC}) \\| (?<two>${TOPIC}) \\| DATE \\| # \\| #`,
    truth: (facts, place) => [callsAbout(facts, place, 'one'), callsAbout(facts, place, 'two')],
  },
  {
    on: CALLS,
    says: 'Day \\(UTC\\) \\| in the header \\| DATE \\| #',
    truth: (facts, place) => [callsTold(facts, place)],
  },
  { on: CALLS, says: '(?:the last|of the last) (?:7|30|90) days' },
  { on: /\/calls/, says: '7 days \\| 30 days \\| 90 days' },
];

const moving: Rule[] = [
  {
    on: MOVE,
    says: '# of # tokens are connected or moved\\. # waits? for',
    truth: ({ tokens }, place) => {
      const own = tokens.filter(inPath(place));
      return [count(own, isDone), count(own, isAlive), count(own, waits)];
    },
  },
  {
    on: MOVE,
    says: '# calls? came to the old API in the last 7 days',
    truth: (facts, place) => [callsTold(facts, place)],
  },
  {
    on: MOVE,
    says: '(?<endpoint>/v1/[a-z/:_]+\\.json) by caller/1.0: (?:at least )?# calls?',
    truth: (facts, place) => [callsTold(facts, place, place.names['endpoint'])],
  },
  {
    on: MOVE,
    says: '# tokens? (?:is|are) still answered by this service\\. (?:None of # connections was|The one connection was not)',
    truth: ({ tokens }, place) => {
      const active = tokens.filter((token) => inPath(place)(token) && token.state === 'active');
      const connections = new Set(active.map(({ account_id: id }) => id)).size;
      return connections === 1 ? [active.length] : [active.length, connections];
    },
  },
  // Steps are told by what they rest on: none is done while a token waits and no client is entered.
  { on: OVERVIEW, says: '[1-4]\\. (?:Own client|Users|Hand-over|Calls at zero)' },
  { on: OF_APP, says: '0 of 4 steps (?:are|to the new API are) done' },
  { on: MOVE, says: '(?:less than|It is done when) 7 days|within 30 seconds' },
];

const newCalls: Rule[] = [
  {
    on: /\/new-calls/,
    says: 'The app made (?:at least )?# of the nineteen',
    truth: ({ calls: made }, place) => [
      new Set(made.filter(({ token }) => inPath(place)(token)).map(({ endpoint }) => endpoint)).size,
    ],
  },
  {
    on: /\/new-calls/,
    says: '(?:GET|POST) (?<endpoint>/v1/[a-z/:_]+\\.json) (?:at least )?# calls?',
    truth: (facts, place) => [callsTold(facts, place, place.names['endpoint'])],
  },
  {
    on: /\/new-calls|^\/migrate/,
    says: 'ISO 8601|status 20[04]|up to 30 moves|code 1012|RFC 7009|with 0 shares|in the last 90 days',
  },
];

const rehearsal: Rule[] = [
  {
    on: /\/rehearse/,
    says: '# calls? (?:failed|would have failed)',
    truth: ({ failed }) => [failed],
  },
  {
    on: /\/rehearse/,
    says: '/v1/user\\.json \\| the header \\| caller/1.0 \\| #',
    truth: ({ failed }) => [failed],
  },
  { on: /\/rehearse/, says: '(?:5 minutes|\\d+ minutes? \\d+ seconds?|\\d+ seconds?) left' },
];

const live: Rule[] = [
  {
    on: /\/live/,
    says: '# new calls? shown since',
    truth: (_facts, { text }) => [[...text.matchAll(/, new/g)].length],
  },
];

const progress: Rule[] = [
  {
    on: /^\/apps\/progress$/,
    says: '# of # tokens are connected or moved; # (?:is|are) not connected',
    truth: ({ counted }, place) => {
      const app = lastNamed(place);
      const own = counted.filter(
        (token) => token.owner === place.reader && (app === undefined || named(app)(token)),
      );
      return [count(own, isDone), count(own, isAlive), count(own, waits)];
    },
  },
];

const rest: Rule[] = [
  { on: /./, says: '(?:in|retires in) (?:59|60|199|200) days|(?:59|60|199|200) days left' },
  { on: OWN, says: 'at most 10|\\((?:401|410)\\)|Ends \\| 60 minutes|Calls in 30 days' },
  { on: /\/live/, says: '\\((?:200|401)\\)' },
  { on: /^\/apps\/paste-token$/, says: 'begins with 1/' },
  { on: /^\/apps\/register$/, says: 'at most 20|127\\.0\\.0\\.1 and \\[::1\\]' },
  {
    on: /^\/apps\/account$/,
    says: '# browsers are signed in',
    truth: ({ browsers }, { reader }) => [browsers[reader] ?? 0],
  },
  { on: /^\/lifecycle/, says: 'status (?:401|410)|RFC 8693|"status":(?:401|410)' },
];

export const TOLD_TO_OWNERS: readonly Rule[] = [
  ...home,
  ...ofApp,
  ...calls,
  ...moving,
  ...newCalls,
  ...rehearsal,
  ...live,
  ...progress,
  ...rest,
];
export { count, inPath, named };
