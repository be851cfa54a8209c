// The tables of docs/mutation.md, from a whole run.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { scoreOf } from './mutants.mjs';

const PAGE = fileURLToPath(new URL('../../docs/mutation.md', import.meta.url));

/** Code in a cell: a bar would end the cell, also in code, and a single backtick the code. */
const code = (text) => {
  const cell = text.replaceAll('|', '\\|');
  return cell.includes('`') ? `\`\` ${cell} \`\`` : `\`${cell}\``;
};

function scores(results) {
  const rows = results.map(
    ({ file, total, noticed, score }) => `| \`${file}\` | ${total} | ${noticed} | ${score.toFixed(1)} % |`,
  );
  const sum = (field) => results.reduce((total, result) => total + result[field], 0);
  const [noticed, total] = [sum('noticed'), sum('total')];
  const last = `| all | ${total} | ${noticed} | ${scoreOf(noticed, total).toFixed(1)} % |`;
  return ['| file | mutants | noticed | score |', '|---|---|---|---|', ...rows, last].join('\n');
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

/** Writes the score of each file and the explained survivors into the page. */
export function writePage({ results, survivors, minutes }) {
  const page = readFileSync(PAGE, 'utf8');
  const withScores = between(page, 'scores', scores(results));
  writeFileSync(PAGE, between(withScores, 'survivors', reasons(survivors)));
  console.log(`docs/mutation.md written after ${Math.round(minutes)} minutes`);
}
