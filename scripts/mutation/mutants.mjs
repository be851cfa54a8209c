// What became of the mutants: which were noticed, which stayed, and which of these are explained in `survivors.json`.
import { readFileSync } from 'node:fs';

const NOTICED = ['Killed', 'Timeout'];
const UNNOTICED = ['Survived', 'NoCoverage'];

const oneLine = (text) => text.replaceAll(/\s+/g, ' ').trim();

/** The function or the constant at the outermost level that holds a line. */
function holderOf(lines, line) {
  const declaration = /^(?:export )?(?:async )?(?:function|const|class|let) (\w+)/;
  const above = lines.slice(0, line).toReversed();
  return above.map((text) => declaration.exec(text)?.[1]).find(Boolean) ?? '';
}

/** A mutant in the words of the table: where it stands, and what its line becomes. The number of the line would not last. */
export function describe({ fileName, replacement, location: { start, end } }) {
  const lines = readFileSync(fileName, 'utf8').split('\n');
  const head = lines[start.line - 1].slice(0, start.column - 1);
  const tail = lines[end.line - 1].slice(end.column - 1);
  return { in: holderOf(lines, start.line), becomes: oneLine(`${head}${replacement}${tail}`) };
}

const isOf = (survivor, mutant) =>
  survivor.file === mutant.file && survivor.in === mutant.in && survivor.becomes.includes(mutant.becomes);

/** The counts of one file, and its mutants that nobody noticed. */
export function judge(file, mutants, survivors) {
  const noticed = mutants.filter(({ status }) => NOTICED.includes(status)).length;
  const left = mutants
    .filter(({ status }) => UNNOTICED.includes(status))
    .map((mutant) => ({ file, ...describe(mutant), status: mutant.status }));
  const unexplained = left.filter((mutant) => !survivors.some((one) => isOf(one, mutant)));
  const known = survivors.filter((one) => one.file === file);
  const gone = known.flatMap(({ in: holder, becomes }) =>
    becomes
      .filter((text) => !left.some((mutant) => mutant.in === holder && mutant.becomes === text))
      .map((text) => ({ file, in: holder, becomes: text })),
  );
  const total = noticed + left.length;
  const timeouts = mutants.filter(({ status }) => status === 'Timeout').length;
  return { file, total, noticed, timeouts, left, unexplained, gone, score: scoreOf(noticed, total) };
}

/** In percent. */
export const scoreOf = (noticed, total) => (total === 0 ? 100 : (100 * noticed) / total);
