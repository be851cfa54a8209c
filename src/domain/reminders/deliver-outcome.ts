/**
 * What became of one claimed mail: `passedOn` went to an app's next contact; `left` was not begun, or is another
 * process's by now.
 */
export type Outcome = 'sent' | 'dropped' | 'putOff' | 'passedOn' | 'undeliverable' | 'left';
