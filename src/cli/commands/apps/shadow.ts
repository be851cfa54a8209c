import { clearShadow, describeShadow } from '../../../domain/reads/shadow.ts';
import type { Result } from '../result.ts';
import { withContext } from '../with-context.ts';

const WORDS: Readonly<Record<string, string>> = {
  missing: 'only the old answer has it',
  added: 'only the new answer has it',
  type: 'another type',
  value: 'another value',
};

/** `shadow`: where the old API and the new API answer differently. With `--clear` the counts begin anew. */
export async function shadowCommand(options: { clear?: boolean }): Promise<Result> {
  return withContext(async ({ context }) => {
    if (options.clear) {
      await clearShadow(context);
      return { ok: true, lines: ['The counts begin anew.'], json: { cleared: true } };
    }
    const { compared, notAnswered, differences } = await describeShadow(context);
    const lines = differences.map(
      (row) =>
        `${row.endpoint}  ${row.field}  ${WORDS[row.difference] ?? row.difference}: ${row.times} of ${row.compared}`,
    );
    const total = `${compared} answers were compared, ${notAnswered} were not, for the other side gave none.`;
    const off = context.settings.shadow ? [] : ['LEGACY_SHADOW is off: no more are compared.'];
    return {
      ok: true,
      lines: [...lines, total, ...off],
      json: { compared, not_answered: notAnswered, differences },
    };
  });
}
