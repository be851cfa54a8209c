// The figures of a benchmark: medians with their spread, and the table.

export const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** The median of each figure over the rounds, with the least and the most. */
export function summary(rounds) {
  const names = Object.keys(rounds[0]);
  return Object.fromEntries(
    names.map((name) => {
      const all = rounds.map((round) => round[name]);
      return [name, { median: median(all), least: Math.min(...all), most: Math.max(...all) }];
    }),
  );
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

/** How many times cheaper than the peer the bridge is, round by round: both ran in the same seconds. */
export function ratios(ofPeer, ofBridge) {
  const all = ofPeer.map(({ cpu }, round) => cpu / ofBridge[round].cpu);
  return { median: median(all), least: Math.min(...all), most: Math.max(...all) };
}

/** The lines of the table: one for each work and contender. */
export function tableOf(rows) {
  const head = ['work', 'contender', ...COLUMNS.map(([title]) => title), 'its CPU / the bridge’s'];
  const lines = rows.map(({ work, contender, figures, ratio }) => [
    work,
    contender,
    ...COLUMNS.map(([, name, digits]) => cell(figures[name], digits)),
    ratio ? cell(ratio, 2) : '',
  ]);
  const widths = head.map((title, at) => Math.max(title.length, ...lines.map((line) => line[at].length)));
  const row = (cells) => `| ${cells.map((text, at) => text.padEnd(widths[at])).join(' | ')} |`;
  return [row(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...lines.map(row)].join(
    '\n',
  );
}
