import type { AuthorizationRequest } from '../../../domain/authorization/consent.ts';
import { HOUR } from '../../../shared/lifetimes.ts';
import { networkKey } from '../../../shared/net/addresses.ts';
import type { HttpExchange } from '../../pages/brake.ts';
import { idsOf } from '../../request-trace.ts';
import type { SigninPagesDeps } from '../parts.ts';

/**
 * What became of returned consents: each one that was claimed counts once, and one that failed has a line. A stray return
 * counts nowhere.
 */

const MESSAGE = 'a consent could not be finished';

/** A return that was claimed. */
interface ReturnedConsent extends HttpExchange {
  request: AuthorizationRequest;
}

interface ConsentFailure {
  /** `warn` for what the browser brought: anybody can make that up. */
  level: 'warn' | 'error';
  /** One of few: lines of the same kind count together. */
  kind: string | undefined;
  fields: { refusal?: string | undefined; detail?: string; error?: unknown };
}

export interface ConsentNotes {
  ended: (request: AuthorizationRequest, outcome: 'finished' | 'declined') => void;
  failed: (returned: ReturnedConsent, failure: ConsentFailure) => void;
}

/** The characters of an error code (RFC 6749 §4.1.2.1). Known codes are shorter. */
const ERROR_CODE = /^[ !#-[\]-~]{1,60}$/;

/** An error code from the address of a return, for a line. */
export const readableCode = (code: string): string => (ERROR_CODE.test(code) ? code : 'unreadable');

/** Networks and purposes that are told apart in an hour; further ones do not count. */
const ROOM = 1000;

/**
 * True once in an hour for a key. A stranger can begin any number of sign-ins, and let each of them fail: a person who is
 * called for failures must not be called by one stranger.
 */
function oncePerHour(clock: { elapsed: () => number }): (key: string) => boolean {
  const counted = new Map<string, number>();
  return (key) => {
    const now = clock.elapsed();
    for (const [known, at] of counted) {
      if (at + HOUR > now) break;
      counted.delete(known);
    }
    if (counted.has(key) || counted.size >= ROOM) return false;
    counted.set(key, now);
    return true;
  };
}

/** Counts and tells the returns of one process. */
export function createConsentNotes({ context, noteFailure }: SigninPagesDeps): ConsentNotes {
  const { consents } = context.metrics;
  const isFirst = oncePerHour(context.clock);
  return {
    ended: ({ purpose }, outcome) => consents.note(purpose, outcome),
    failed({ request, req, res }, { level, kind, fields }) {
      const { id: authorizationId, purpose, client_id: clientId } = request;
      const address = req.ip ?? '';
      if (isFirst(`${purpose} ${networkKey(address)}`)) consents.note(purpose, 'failed');
      noteFailure({
        level,
        message: MESSAGE,
        address,
        kind: [purpose, kind].join(' '),
        common: { purpose },
        fields: { ...idsOf(res), authorizationId, purpose, clientId: clientId ?? undefined, ...fields },
      });
    },
  };
}
