import { isoMoment, MOMENT_FORM, readMoment } from '../../../shared/moments.ts';
import { WrongUsage } from '../wrong-usage.ts';

/**
 * A moment from the command line, in Unix milliseconds.
 * @throws {WrongUsage} naming the option or operand
 */
export function momentOf(name: string, given: unknown): number {
  const at = readMoment(String(given));
  if (at === undefined) throw new WrongUsage(`${name}: ${MOMENT_FORM}. Given: ${printable(String(given))}`);
  return at;
}

/** A moment in the form of all commands. */
export const shown = isoMoment;

/**
 * Text from people may hold control characters, which a terminal obeys, and characters that turn the rest of a line around
 * (UAX #9).
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '?');
}
