import { oneOf, optionsIn, UsageError, wholeNumber } from '../shared/command-line.ts';

const SABOTAGES = [
  'none',
  'skipped-mark',
  'second-id',
  'dropped-reminder',
  'no-second-look',
  'night-mail',
  'lost-refusal',
] as const;

export interface RehearsalOptions {
  seed: number;
  people: number;
  tokens: number;
  days: number;
  kills: number;
  database: 'sqlite' | 'postgres';
  sabotage: (typeof SABOTAGES)[number];
}

export const USAGE = `rehearse-year [--seed N] [--people N] [--tokens N] [--days N] [--kills N] [--database postgres|sqlite]
              [--sabotage ${SABOTAGES.join('|')}]

It ends with 0 when every due stage was delivered exactly once, 1 when not, 2 for a wrong option. The same seed makes the
same year. With a sabotage a machine does one thing wrong, and 1 is the good result:
  skipped-mark      a mail that went out is not marked, so it goes out again although nothing crashed
  second-id         a mail goes out a second time under another Message-ID
  dropped-reminder  a mail is marked as sent and never leaves
  no-second-look    what changed since the planning is not looked at again before sending
  night-mail        nobody's nine in the morning is waited for
  lost-refusal      a refusal for good is taken for a delivery`;

const OPTIONS = ['seed', 'people', 'tokens', 'days', 'kills', 'database', 'sabotage'] as const;

/** Reads the command line. @throws {UsageError} */
export function readOptions(args: readonly string[]): RehearsalOptions {
  const values = optionsIn(args, OPTIONS);
  const number = (name: 'people' | 'tokens' | 'days' | 'kills', usual: number) =>
    wholeNumber(name, values[name]) ?? usual;
  const people = number('people', 1000);
  const days = number('days', 365);
  if (people < 10) throw new UsageError('--people must be at least 10, so that there is one of each kind');
  if (days < 30) throw new UsageError('--days must be at least 30: fewer rehearse no stage');
  return {
    seed: wholeNumber('seed', values.seed) ?? Math.floor(Math.random() * 1_000_000),
    people,
    tokens: number('tokens', people * 10),
    days,
    kills: number('kills', 20),
    database: oneOf('database', ['postgres', 'sqlite'], values.database ?? 'postgres'),
    sabotage: oneOf('sabotage', SABOTAGES, values.sabotage ?? 'none'),
  };
}
