import type { Facts, Token } from './facts.ts';
import type { Place, Rule } from './rules.ts';
import { groupBy } from '../../../src/shared/group-by.ts';
import { madeOnce } from '../../../src/shared/memory/made-once.ts';
import { DANA, SAM } from '../support/people.ts';

/** What the list of all accounts says: the counts of its tabs, and the tokens of each row. */

const LIST = /^\/support\/accounts(?:$|\?)/;

const OF_TAB: Readonly<Record<string, (facts: Facts) => Array<string | null>>> = {
  All: ({ tokens }) => tokens.flatMap(({ account_id: id, owner }) => [id, owner]),
  'With stopped tokens': ({ tokens }) =>
    tokens.filter(({ state }) => state === 'reauthorization_required').map(({ account_id: id }) => id),
  'Owners of apps': ({ tokens }) => tokens.map(({ owner }) => owner),
};

const TAB_OF_QUERY: Readonly<Record<string, string>> = {
  stopped: 'With stopped tokens',
  owners: 'Owners of apps',
};

const countIn = (facts: Facts, tab: string) => new Set(OF_TAB[tab]?.(facts).filter((id) => id !== null)).size;

const tabOf = ({ path }: Place) =>
  TAB_OF_QUERY[new URL(path, 'http://any').searchParams.get('show') ?? ''] ?? 'All';

/** Connected, waiting, stopped, moved and revoked. */
function statesOf(tokens: readonly Token[]): number[] {
  const count = (wanted: string) => tokens.filter(({ state }) => state === wanted).length;
  const wanted = ['active', 'unmapped', 'reauthorization_required', 'migrated', 'revoked'];
  return wanted.map(count);
}

const NAMED: Readonly<Record<string, string>> = { 'Dana Demo': DANA.accountId, 'Sam Second': SAM.accountId };

const everyAccount = new WeakMap<Facts, number[][]>();

/** The numbers of all accounts. */
const statesOfAll = (facts: Facts) =>
  madeOnce(everyAccount, facts, () =>
    [...groupBy(facts.tokens, ({ account_id: id }) => id)].flatMap(([id, some]) =>
      id === null ? [] : [statesOf(some)],
    ),
  );

/** An account without a name is told by its id, which the text leaves out: its numbers have to be those of some account. */
function ofSomeAccount(facts: Facts, { text, index }: Place): number[] {
  const told = / \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+)/
    .exec(text.slice(index, index + 100))
    ?.slice(1)
    .map(Number);
  return statesOfAll(facts).find((states) => String(states) === String(told)) ?? [];
}

export const TOLD_IN_ACCOUNTS: readonly Rule[] = [
  {
    on: LIST,
    says: `\\| (?<tab>${Object.keys(OF_TAB).join('|')}) #(?= \\|)`,
    truth: (facts, { names }) => [countIn(facts, names['tab'] ?? '')],
  },
  {
    on: LIST,
    says: '(?:\\d+ to )?\\d+ of #(?= \\|| First| Next| Previous|$)',
    truth: (facts, place) => [countIn(facts, tabOf(place))],
  },
  {
    on: LIST,
    says: `(?<who>${Object.keys(NAMED).join('|')}) \\| ADDRESS \\| # \\| # \\| # \\| # \\| #`,
    truth: ({ tokens }, { names }) =>
      statesOf(tokens.filter(({ account_id: id }) => id === NAMED[names['who'] ?? ''])),
  },
  { on: LIST, says: 'ID \\| not known \\| # \\| # \\| # \\| # \\| #', truth: ofSomeAccount },
];
