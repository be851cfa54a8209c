import { clearShadow, describeShadow } from '../../../domain/reads/shadow.ts';
import type { Result } from '../result.ts';
import { withContext } from '../with-context.ts';

const WORDS: Readonly<Record<string, string>> = {
  missing: 'only the old answer has this field',
  added: 'only the new answer has this field',
  type: 'the types differ',
  value: 'the values differ',
};

/** `shadow`: where the old API and the new API answer differently. With `--clear` the counts begin anew. */
export async function shadowCommand(options: { clear?: boolean }): Promise<Result> {
  return withContext(async ({ context }) => {
    if (options.clear) {
      await clearShadow(context, { actor: 'command', requestId: null });
      return { ok: true, lines: ['The counts are deleted and begin anew.'], json: { cleared: true } };
    }
    const { compared, notAnswered, differences } = await describeShadow(context);
    const lines = differences.map(
      (row) =>
        `${row.endpoint}  ${row.field}  ${WORDS[row.difference] ?? row.difference}: ${row.times} of ${row.compared}`,
    );
    const total = `${compared} answers were compared. ${notAnswered} were not compared, because one of the two APIs gave no answer.`;
    const off = context.settings.shadow ? [] : ['LEGACY_SHADOW is off: the bridge compares no more answers.'];
    return {
      ok: true,
      lines: [...lines, total, ...off],
      table: {
        head: ['CALL', 'FIELD', 'DIFFERENCE', 'TIMES', 'OF'],
        rows: differences.map((row) => [
          row.endpoint,
          row.field,
          WORDS[row.difference] ?? row.difference,
          String(row.times),
          String(row.compared),
        ]),
        notes: [total, ...off],
      },
      json: { compared, not_answered: notAnswered, differences, is_on: context.settings.shadow },
    };
  });
}
