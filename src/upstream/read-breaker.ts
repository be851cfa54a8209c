import type { Logger } from '../shared/log/logger.ts';
import { SECOND } from '../shared/lifetimes.ts';
import { type Breaker, createBreaker } from './breaker.ts';
import { type HttpAnswer, send } from './http-client.ts';
import type { SilenceCheck } from './silence.ts';

/** The breaker before the reads of the main API, which has one more way to find out whether the main API answers. */
export interface ReadBreaker extends Breaker<HttpAnswer> {
  /**
   * Asks the main API without an access token. Any answer below 500 shows that the main API answers: the expected one
   * is 401. At most one such request is sent in a second.
   */
  knock(): void;
}

const KNOCKS_APART = 1 * SECOND;

/** An ordinary query, refused for its missing token before it is read. */
const KNOCK = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ query: '{ __typename }' }),
} as const;

interface Options {
  apiUrl: string;
  silence: SilenceCheck;
  logger: Pick<Logger, 'warn' | 'info'>;
}

/** Only a fault of the server counts: a refusal of one token, or a request to wait, is an answer. */
export function createReadBreaker({ apiUrl, silence, logger }: Options): ReadBreaker {
  const breaker = createBreaker<HttpAnswer>({
    isFault: ({ status }) => status >= 500,
    tell: (isOpen) =>
      isOpen
        ? logger.warn('the new API does not answer, the bridge answers reads from what it knows')
        : logger.info('the new API answers reads again'),
  });
  let knockedAt = Number.NEGATIVE_INFINITY;
  return {
    ...breaker,
    knock() {
      if (silence() !== undefined || performance.now() - knockedAt < KNOCKS_APART) return;
      knockedAt = performance.now();
      // What the answer shows, the breaker has noted.
      breaker.run({ of: 'knock', send: () => send({ url: apiUrl, ...KNOCK }) }).catch(() => undefined);
    },
  };
}
