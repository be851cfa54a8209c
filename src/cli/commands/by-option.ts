import { userInfo } from 'node:os';
import { WrongUsage } from './wrong-usage.ts';

/** Long enough for a name and a ticket number. */
const NAME_MAX = 100;

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** In a container the user may have a number and no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/**
 * The actor of a change, for the history: the name in `--by`, else the user of the operating system.
 * @throws {WrongUsage} where the text is not a usable name
 */
export function commandActor({ by }: Record<string, unknown>): string {
  const name = typeof by === 'string' ? by.trim() : systemUser();
  if (name === '' || name.length > NAME_MAX || UNPRINTABLE.test(name))
    throw new WrongUsage(`--by: must be a name of 1 to ${NAME_MAX} printable characters`);
  return `command:${name}`;
}
