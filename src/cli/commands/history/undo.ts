import type { Context } from '../../../domain/context.ts';
import { KINDS } from '../../../domain/take-back/kinds.ts';
import { type DeedLook, newestDeed } from '../../../domain/take-back/look.ts';
import { takeEntryBack } from '../../../domain/take-back/take-back.ts';
import { SECOND } from '../../../shared/lifetimes.ts';
import { momentText } from '../../../shared/moments.ts';
import type { DeedThing } from '../../../store/tables/deeds.ts';
import { commandActor } from '../by-option.ts';
import type { Result } from '../result.ts';
import { withContext } from '../with-context.ts';
import { WrongUsage } from '../wrong-usage.ts';

/** @throws {WrongUsage} */
function entryIdOf(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new WrongUsage('entry: must be the id of an entry, as history export prints it');
  return Number(text);
}

/** `history undo ENTRY --reason TEXT [--by NAME]`: takes back what an entry tells. */
export async function undoEntry(
  options: Record<string, unknown>,
  [entry = '']: readonly string[],
): Promise<Result> {
  const entryId = entryIdOf(entry);
  const asked = { reason: String(options['reason']), actor: commandActor(options), requestId: null };
  return withContext(async ({ context }) => {
    const { kind, parts } = await takeEntryBack(context, { entryId, role: 'lead', ...asked });
    return {
      ok: true,
      lines: [`Taken back. ${KINDS[kind].back}`],
      json: { entry: entryId, what: kind, changes: parts },
    };
  });
}

/** How a command's action on a thing is taken back, or why it cannot. */
export async function undoLines(context: Context, thing: DeedThing, subject: string): Promise<string[]> {
  return linesOfUndo(await newestDeed(context, thing, subject));
}

/** How what a command did is taken back, or why it cannot; nothing where it left nothing to take back. */
export function linesOfUndo(look: DeedLook | undefined): string[] {
  if (!look) return [];
  if (look.whyNot !== undefined) return [`This cannot be taken back: ${look.whyNot}`];
  const { entryId, until } = look;
  return [
    `Until ${momentText(until - (until % SECOND))} this can be taken back: grantbridge history undo ${entryId} --reason TEXT`,
  ];
}
