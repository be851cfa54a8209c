/**
 * The outcome of one claimed mail. `passedOn`: its reminders went to an app's next contact. `left`: this process has
 * lost the claim, or could not store an outcome.
 */
export type DeliveryOutcome = 'sent' | 'dropped' | 'putOff' | 'passedOn' | 'undeliverable' | 'left';
