// The figures of a benchmark: medians with their spread, what is wanted of them, and the table.

export const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** The median of some numbers, with the least and the most. */
export const spreadOf = (numbers) => ({
  median: median(numbers),
  least: Math.min(...numbers),
  most: Math.max(...numbers),
});

/** The spread of each figure over the rounds. */
export function summary(rounds) {
  const names = Object.keys(rounds[0]);
  return Object.fromEntries(names.map((name) => [name, spreadOf(rounds.map((round) => round[name]))]));
}

/** What is wanted of a figure: the goal, and the least that must be reached, where it differs. */
export const atLeast = (goal, must = goal) => ({ goal, must, sign: '≥' });
export const atMost = (goal, must = goal) => ({ goal, must, sign: '≤' });

const isWithin = (value, limit, sign) => (sign === '≥' ? value >= limit : value <= limit);

/** Whether the median reached what is wanted; undefined for a figure that is reported and not judged. */
export function reachedOf({ value, wanted }) {
  if (!wanted || wanted.isReported) return undefined;
  const { goal, must, sign } = wanted;
  if (isWithin(value.median, goal, sign)) return 'goal';
  return isWithin(value.median, must, sign) ? 'must' : 'missed';
}

const COLUMNS = [
  ['CPU µs/call', 'cpu', 0],
  ['calls/s', 'rate', 0],
  ['p50 ms', 'p50', 1],
  ['p99 ms', 'p99', 1],
  ['MB', 'memory', 0],
];

const cell = ({ median: middle, least, most }, digits) =>
  `${middle.toFixed(digits)} (${least.toFixed(digits)}–${most.toFixed(digits)})`;

const MARKS = { goal: 'goal reached', must: 'must reached', missed: 'MISSED' };

/** The cells of a comparison: what it is, its value, goal, must, and whether they were reached. */
function cellsOf(compared) {
  if (!compared) return ['', '', '', '', ''];
  const { what, value, wanted } = compared;
  const limits = wanted ? [wanted.goal, wanted.must].map((limit) => `${wanted.sign} ${limit}`) : ['', ''];
  return [what, cell(value, 2), ...limits, MARKS[reachedOf(compared)] ?? 'reported'];
}

/** The lines of the table: one for each work and contender. */
export function tableOf(rows) {
  const titles = COLUMNS.map(([title]) => title);
  const head = ['work', 'contender', ...titles, 'compared', 'value', 'goal', 'must', 'reached'];
  const lines = rows.map(({ work, contender, figures = {}, compared }) => [
    work,
    contender,
    ...COLUMNS.map(([, name, digits]) => (figures[name] ? cell(figures[name], digits) : '')),
    ...cellsOf(compared),
  ]);
  const widths = head.map((title, at) => Math.max(title.length, ...lines.map((line) => line[at].length)));
  const row = (cells) => `| ${cells.map((text, at) => text.padEnd(widths[at])).join(' | ')} |`;
  return [row(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...lines.map(row)].join(
    '\n',
  );
}
