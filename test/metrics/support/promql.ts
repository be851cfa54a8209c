import { parser } from '@prometheus-io/lezer-promql';

/** What one expression of PromQL names. */
interface PromqlNames {
  /** Each selector: its metric, and the values of its labels. A label that is matched by another sign has no value. */
  selectors: Array<{ metric: string; labels: Record<string, string | undefined> }>;
  /** The labels of `by`, `without`, `on` and `ignoring`. */
  grouping: string[];
  /** The first text that the grammar does not know; undefined for a sound expression. */
  problem: string | undefined;
}

const MATCHER = /^(\w+)\s*(=|!=|=~|!~)\s*"([^"]*)"$/;

/** What each node of the grammar adds to the names. */
const BY_NODE: Record<string, (names: PromqlNames, text: string) => void> = {
  Identifier: ({ selectors }, metric) => void selectors.push({ metric, labels: {} }),
  GroupingLabels: ({ grouping }, text) => void grouping.push(...(text.match(/\w+/g) ?? [])),
  UnquotedLabelMatcher({ selectors }, text) {
    const [, label = text, sign, value] = MATCHER.exec(text) ?? [];
    const selector = selectors.at(-1);
    if (selector) selector.labels[label] = sign === '=' ? value : undefined;
  },
};

/** Reads an expression with the grammar of Prometheus' own editor. */
export function readPromql(expression: string): PromqlNames {
  const names: PromqlNames = { selectors: [], grouping: [], problem: undefined };
  parser.parse(expression).iterate({
    enter({ name, type, from, to }) {
      if (type.isError) names.problem ??= expression.slice(Math.max(from - 10, 0));
      BY_NODE[name]?.(names, expression.slice(from, to));
    },
  });
  return names;
}
