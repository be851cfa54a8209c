// The tables of docs/mutation.md. A run of some files leaves the scores of the others as they are.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { scoreOf } from './mutants.mjs';

const PAGE = fileURLToPath(new URL('../../docs/mutation.md', import.meta.url));

/** Code in a cell: a bar would end the cell, also in code, and a single backtick the code. */
const code = (text) => {
  const cell = text.replaceAll('|', '\\|');
  return cell.includes('`') ? `\`\` ${cell} \`\`` : `\`${cell}\``;
};

/** The scores on the page, by the path of the file. A file that was not measured yet has none. */
export function scoresOn(page) {
  const row = /^\| `(src\/[^`]+)` \| (\d+) \| (\d+) \| [\d.]+ % \| (\S+) \|$/gm;
  return new Map(
    [...page.matchAll(row)].map(([, file, total, noticed, day]) => [
      file,
      { total: Number(total), noticed: Number(noticed), day },
    ]),
  );
}

export const readPage = () => readFileSync(PAGE, 'utf8');

const percent = ({ noticed, total }) => `${scoreOf(noticed, total).toFixed(1)} %`;

function scores(files, known) {
  const rows = files.map((file) => {
    const score = known.get(file);
    if (!score) return `| \`${file}\` | | | | not yet |`;
    return `| \`${file}\` | ${score.total} | ${score.noticed} | ${percent(score)} | ${score.day} |`;
  });
  const sum = (field) => files.reduce((total, file) => total + (known.get(file)?.[field] ?? 0), 0);
  const all = { noticed: sum('noticed'), total: sum('total') };
  const last = `| all | ${all.total} | ${all.noticed} | ${percent(all)} | |`;
  return ['| file | mutants | noticed | score | measured |', '|---|---|---|---|---|', ...rows, last].join(
    '\n',
  );
}

function reasons(survivors) {
  const rows = survivors.map(({ file, in: holder, becomes, why }) => {
    const changed = becomes.map(code).join('<br>');
    return `| \`${file.replace('src/', '')}\` \`${holder}\` | ${changed} | ${why} |`;
  });
  return ['| where | what the line becomes | why no test notices |', '|---|---|---|', ...rows].join('\n');
}

function between(text, name, content) {
  const [start, end] = [`<!-- ${name} -->\n`, `\n<!-- end of ${name} -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/mutation.md has no place for the ${name}`);
  return text.slice(0, from + start.length) + content + text.slice(to);
}

/** Writes the scores that a run measured, those that the page had of the other files, and the explained survivors. */
export function writePage({ files, results, survivors }) {
  const page = readPage();
  const day = new Date().toISOString().slice(0, 10);
  const measured = results.map(({ file, total, noticed }) => [file, { total, noticed, day }]);
  const known = new Map([...scoresOn(page), ...measured]);
  const withScores = between(page, 'scores', scores(files, known));
  writeFileSync(PAGE, between(withScores, 'survivors', reasons(survivors)));
  console.log(`docs/mutation.md written: the scores of ${results.length} files`);
}
