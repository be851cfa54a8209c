import { userInfo } from 'node:os';
import { WrongUsage } from './wrong-usage.ts';

/** Long enough for a name and a ticket's number. */
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
 * Who changes something, for the history: whom `--by` names, else the user of the operating system.
 * @throws {WrongUsage} for what is no name
 */
export function actorOf({ by }: Record<string, unknown>): string {
  const name = typeof by === 'string' ? by.trim() : systemUser();
  if (name === '' || name.length > NAME_MAX || UNPRINTABLE.test(name))
    throw new WrongUsage(`--by: must be a name of 1 to ${NAME_MAX} printable characters`);
  return `command:${name}`;
}
