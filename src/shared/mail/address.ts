import { z } from 'zod';

/** RFC 5321 §4.5.3.1: 256 octets for a path, less its angle brackets. */
const ADDRESS_LENGTH_MAX = 254;
/** RFC 5321 §4.5.3.1.1. */
const LOCAL_PART_MAX = 64;

/**
 * Whether a text is one plain mail address, as `<input type=email>` defines it (HTML, "valid e-mail address"), with a
 * dot in its domain. Such an address holds no space, comma, bracket or control character, so it stays one address in
 * every header.
 */
export function isMailAddress(text: string): boolean {
  const [local = '', domain = ''] = text.split('@');
  const hasLengths = text.length <= ADDRESS_LENGTH_MAX && local.length <= LOCAL_PART_MAX;
  return hasLengths && domain.includes('.') && z.regexes.html5Email.test(text);
}

/**
 * An address in the form for comparing and storing: trimmed and in lower case. Letters beyond ASCII stay unchanged:
 * some of them, such as the Kelvin sign, have an ASCII letter as their lower case and would make two mailboxes one.
 */
export function normalEmail(address: string): string {
  return address.trim().replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
