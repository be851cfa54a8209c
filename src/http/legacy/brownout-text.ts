import type { LegacyDeps } from './deps.ts';
import type { Brownout } from '../../domain/lifecycle/lifecycle.ts';
import { momentText } from '../../shared/moments.ts';
import type { LegacyRefusal } from '../wire/legacy-error.ts';

/**
 * The text for a call that fails because of a brownout: which date is rehearsed, until when, and where to read more.
 * The text differs from every other refusal, so that a caller does not take its token for dead. A rehearsal of an owner
 * is described only on the page of the app.
 */
export function brownoutText({ settings }: LegacyDeps, { text, endsAt, clientId }: Brownout): string {
  const sentence = text.trim().replace(/([^.!?])$/, '$1.');
  const [kind, page] =
    clientId === undefined ? [' This is a planned brownout.', '/lifecycle'] : ['', `/apps/${clientId}`];
  return `${sentence}${kind} It is over at ${momentText(endsAt)}. Read more at ${settings.publicUrl}${page}`;
}

/** A refusal because of a brownout: status and code as after the date, and the text of the brownout. */
export function inBrownout(
  context: LegacyDeps,
  [status, code]: LegacyRefusal,
  brownout: Brownout,
): LegacyRefusal {
  return [status, code, brownoutText(context, brownout)];
}
