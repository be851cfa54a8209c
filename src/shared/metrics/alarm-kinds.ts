/**
 * Every alarm of the log, by what a person has to do. The first expression that fits names the alarm; docs/operate/alerts.md
 * has a section for each name. A line without a name here counts as `other`.
 */
const KINDS: ReadonlyArray<readonly [string, RegExp]> = [
  ['certificate', /^the certificate /],
  ['not_stored', /cannot be stored yet$|^the outcome of a write could not be stored/],
  ['not_spilled', /^a pair could not be spilled/],
  ['spilled_elsewhere', /^a pair was spilled into the VAR_DIR of another database/],
  ['spill_unusable', /^a spilled pair cannot be taken back|^spilled pairs cannot be read/],
  ['disk_full', /^the disk is nearly full/],
  ['many_deaths', /^many grants ended/],
  ['answers_lost', /^many answers were lost/],
  ['client_refused', /^the new API refuses the client|^connections stand on a client /],
  ['fresh_token_refused', /^the main API refuses a fresh access token/],
  ['unreadable_value', /^a grant cannot be refreshed| failed( for some of its profiles)?$/],
  ['restored_grants_spent', /^every restored grant seems to be spent/],
  ['keys', /^KEYS_FILE|^the key file |^the \S+ key /],
  ['foreign_history_entry', /^an entry of the history was not written by the bridge/],
  ['restored_copy', /^this is a restored copy/],
  ['process_end', /ends the process|the process ends/],
];

export const OTHER_ALARM = 'other';

/** All names of alarms. */
export const ALARM_KINDS: readonly string[] = [...KINDS.map(([kind]) => kind), OTHER_ALARM];

const BEGINNING = 'ALARM: ';

/** The name of an alarm, by the message of its log line; undefined for a line that is no alarm. */
export function alarmKindOf(message: string): string | undefined {
  if (!message.startsWith(BEGINNING)) return undefined;
  const text = message.slice(BEGINNING.length);
  return KINDS.find(([, pattern]) => pattern.test(text))?.[0] ?? OTHER_ALARM;
}
