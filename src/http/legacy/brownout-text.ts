import type { Context } from '../../domain/context.ts';
import type { Brownout } from '../../domain/lifecycle/lifecycle.ts';
import { momentText } from '../../shared/moments.ts';
import type { Refusal } from '../wire/legacy-error.ts';

/**
 * What a call is told that a brownout makes fail: what is rehearsed, until when, and where to read about it. It is like no
 * other refusal, so that a caller can tell it from a token that is dead. What an owner rehearses stands on the app's own
 * page alone.
 */
export function brownoutText({ settings }: Context, { text, endsAt, clientId }: Brownout): string {
  const sentence = text.trim().replace(/([^.!?])$/, '$1.');
  const [kind, page] =
    clientId === undefined ? [' This is a planned brownout.', '/lifecycle'] : ['', `/apps/${clientId}`];
  return `${sentence}${kind} It is over at ${momentText(endsAt)}. Read more at ${settings.publicUrl}${page}`;
}

/** A refusal that a brownout brings: status and code as they will be after the date, with the text of the brownout. */
export function inBrownout(context: Context, [status, code]: Refusal, brownout: Brownout): Refusal {
  return [status, code, brownoutText(context, brownout)];
}
