import { IANAZone } from 'luxon';
import { presentAccount } from './account.ts';
import { type ApiContext, notFound } from './context.ts';
import type { AccountChanges } from './directory.ts';

interface UpdateAccountArguments {
  input: {
    name?: string | null;
    timezone?: string | null;
    preferences?: {
      timeFormat?: string | null;
      startOfWeek?: string | null;
      defaultScheduleOption?: 'Queue' | 'Prioritize' | 'FixedTime' | 'Now' | null;
    } | null;
  };
}

type Input = UpdateAccountArguments['input'];
type Preferences = NonNullable<Input['preferences']>;

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** Absent and null are never wrong here: what may not be null is looked at by itself. */
const breaks = (value: string | null | undefined, isValid: (value: string) => boolean) =>
  typeof value === 'string' && !isValid(value);

/** One line of 1 to 100 characters. */
export const isName = (name: string) => /^[^\p{Cc}\u2028\u2029]{1,100}$/u.test(name.trim());

function problemsOf({ name, timezone, preferences }: Input): string[] {
  const { timeFormat, startOfWeek, defaultScheduleOption }: Preferences = preferences ?? {};
  const rules: [boolean, string][] = [
    [name === null || breaks(name, isName), 'The name must be one line of 1 to 100 characters'],
    [
      breaks(timezone, (zone) => IANAZone.isValidZone(zone)),
      'The time zone must be an IANA name such as Europe/Berlin',
    ],
    [breaks(timeFormat, (text) => text === '12' || text === '24'), 'The time format must be 12 or 24'],
    [breaks(startOfWeek, (day) => DAYS.includes(day)), 'The start of the week must be a day such as monday'],
    [defaultScheduleOption === null, 'The default schedule option cannot be empty'],
  ];
  return rules.flatMap(([isBroken, message]) => (isBroken ? [message] : []));
}

function updateAccount({ input }: UpdateAccountArguments, context: ApiContext) {
  const problems = problemsOf(input);
  if (problems.length > 0) return { __typename: 'InvalidInputError', message: problems.join('. ') };
  const { name, timezone, preferences } = input;
  const changes: AccountChanges = {
    ...(typeof name === 'string' && { name: name.trim() }),
    ...(timezone !== undefined && { timezone }),
    ...(preferences && { preferences }),
  };
  const record = context.data.updateAccount(context.caller.accountId, changes);
  if (!record) throw notFound('Account');
  return { __typename: 'AccountActionSuccess', account: presentAccount(record, context) };
}

export const accountMutations = { updateAccount };
