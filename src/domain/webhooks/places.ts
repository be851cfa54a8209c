/**
 * How many messages one process sends at once. A receiver that answers slowly, or has not answered yet, shares a few places
 * with others of its kind. So receivers that answer quickly never wait for one that does not.
 */

/** A lane of places. */
export type WebhookLane = 'quick' | 'slow';

const PLACES: Readonly<Record<WebhookLane, number>> = { quick: 12, slow: 4 };

export interface WebhookPlaces {
  /** Takes a place; false where all are taken. */
  take(lane: WebhookLane): boolean;
  giveBack(lane: WebhookLane): void;
}

/** The places of one process. */
export function createWebhookPlaces(): WebhookPlaces {
  const free = { ...PLACES };
  return {
    take(lane) {
      if (free[lane] === 0) return false;
      free[lane] -= 1;
      return true;
    },
    giveBack(lane) {
      free[lane] += 1;
    },
  };
}
