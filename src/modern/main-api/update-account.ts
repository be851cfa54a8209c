import { IANAZone } from 'luxon';
import { brokenRuleMessages, isName, NAME_RULE } from '../text-rules.ts';
import { type ApiContext, notFound } from './context.ts';
import type { AccountChanges, AccountRecord } from './directory.ts';
import { payloadOf, requireSound } from './refusal.ts';

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

/** Absent and null pass: problemsOf checks separately the fields that may not be null. */
const breaks = (value: string | null | undefined, isValid: (value: string) => boolean) =>
  typeof value === 'string' && !isValid(value);

/**
 * Accepts a zone name in any case (ECMA-402) and gives the IANA spelling. An alias keeps the spelling of the client,
 * because Intl answers with another name.
 */
function spelledZone(zone: string): string {
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions();
  return timeZone.toLowerCase() === zone.toLowerCase() ? timeZone : zone;
}

function problemsOf({ name, timezone, preferences }: Input): string[] {
  const { timeFormat, startOfWeek, defaultScheduleOption }: Preferences = preferences ?? {};
  return brokenRuleMessages([
    [name === null || breaks(name, isName), NAME_RULE],
    [
      breaks(timezone, (zone) => IANAZone.isValidZone(zone)),
      'The time zone must be an IANA name such as Europe/Berlin',
    ],
    [breaks(timeFormat, (text) => text === '12' || text === '24'), 'The time format must be 12 or 24'],
    [breaks(startOfWeek, (day) => DAYS.includes(day)), 'The start of the week must be a day such as monday'],
    [defaultScheduleOption === null, 'The default schedule option cannot be empty'],
  ]);
}

function changeAccount(input: Input, context: ApiContext): AccountRecord {
  requireSound(problemsOf(input));
  const { name, timezone, preferences } = input;
  const changes: AccountChanges = {
    ...(typeof name === 'string' && { name: name.trim() }),
    ...(timezone !== undefined && { timezone: timezone && spelledZone(timezone) }),
    ...(preferences && { preferences }),
  };
  const record = context.data.updateAccount(context.caller.accountId, changes);
  if (!record) throw notFound('Account');
  return record;
}

const updateAccount = ({ input }: UpdateAccountArguments, context: ApiContext) =>
  payloadOf(() => ({
    __typename: 'AccountActionSuccess' as const,
    account: changeAccount(input, context),
  }));

export const accountMutations = { updateAccount };
