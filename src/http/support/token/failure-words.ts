/** Why a mail did not arrive: the codes of mail servers in words, followed by the codes. */

/** Enhanced codes (RFC 3463 §3.2 to §3.8) by their beginning, the more exact codes first. */
const MEANINGS: ReadonlyArray<readonly [beginning: string, words: string]> = [
  ['5.1.2', 'the domain of the address takes no mail'],
  ['5.1.6', 'the mailbox has moved'],
  ['5.1.7', 'the mail server does not like our address'],
  ['5.1.8', 'the mail server does not like our address'],
  ['5.1.', 'there is no such mailbox'],
  ['5.2.1', 'the mailbox is closed'],
  ['5.2.2', 'the mailbox is full'],
  ['5.7.', 'the mail server does not allow the mail'],
  ['4.2.2', 'the mailbox is full for now'],
];

/** The basic codes about a mailbox, for an answer without a more exact code (RFC 5321 §4.2.3). */
const NO_MAILBOX = new Set(['550', '551', '553', '556']);

function meaningOf(basic: string, enhanced: string): string {
  const known = MEANINGS.find(([beginning]) => enhanced.startsWith(beginning));
  if (known) return known[1];
  if (basic === '552') return 'the mailbox is full';
  if (enhanced === '' && NO_MAILBOX.has(basic)) return 'there is no such mailbox, or it takes no mail';
  return basic.startsWith('4')
    ? 'the mail server could not take it then'
    : 'the mail server refused the mail';
}

const ANSWER = /^(?:the mail server answered|EENVELOPE) (\d{3})(?: (\d\.\d{1,3}\.\d{1,3}))?$/;

/** `there is no such mailbox (550 5.1.1)`. A failure that is not an answer of a mail server is in words already. */
export function failureWords(failure: string): string {
  const [, basic, enhanced = ''] = ANSWER.exec(failure) ?? [];
  if (basic === undefined) return failure;
  return `${meaningOf(basic, enhanced)} (${[basic, enhanced].filter(Boolean).join(' ')})`;
}
