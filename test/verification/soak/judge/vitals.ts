import { groupBy } from '../../../../src/shared/group-by.ts';
import type { Violation } from '../../shared/checker/checker.ts';
import type { Vitals } from '../watch/vitals.ts';

/** Whether processes that lived long hold more and more. */

const MEGABYTE = 1024 * 1024;

/** What a process holds differs by a few megabytes with how many connections and minutes of counts it has at the moment. */
const MOST_MEMORY = 8 * MEGABYTE;
const MOST_FILES = 30;

/** So many looks tell growth from a warm-up, and so long must a process have lived in a run of the given length. */
const LOOKS = 40;
const SHARE_OF_RUN = 0.4;

export interface Trend {
  machine: number;
  pid: number;
  /** Milliseconds that it was looked at. */
  lived: number;
  held: Change;
  rss: Change;
  files: Change;
  resources: Change;
}

/** The median of the second quarter of a life, behind the warm-up, and of the last. */
interface Change {
  warm: number;
  end: number;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

function changeOf(looks: readonly Vitals[], name: 'held' | 'rss' | 'files' | 'resources'): Change {
  const values = looks.map((look) => look[name]);
  const quarter = Math.floor(values.length / 4);
  return { warm: median(values.slice(quarter, 2 * quarter)), end: median(values.slice(-quarter)) };
}

/** Of the processes that lived long enough to be judged in a run of so many milliseconds. */
export function trendsOf(samples: readonly Vitals[], length: number): Trend[] {
  const byProcess = groupBy(samples, ({ pid }) => pid);
  return [...byProcess.values()].flatMap((looks) => {
    const [first, last] = [looks[0], looks.at(-1)];
    if (!first || !last) return [];
    const lived = last.at - first.at;
    if (looks.length < LOOKS || lived < length * SHARE_OF_RUN) return [];
    const { machine, pid } = first;
    const change = (name: 'held' | 'rss' | 'files' | 'resources') => changeOf(looks, name);
    const changes = {
      held: change('held'),
      rss: change('rss'),
      files: change('files'),
      resources: change('resources'),
    };
    return [{ machine, pid, lived, ...changes }];
  });
}

const grown = ({ warm, end }: Change) => end - warm;

/** What is wrong with them. */
export function judgeVitals(trends: readonly Trend[]): Violation[] {
  return trends.flatMap(({ machine, pid, held, files, resources }) => {
    const words = `process ${pid} of machine ${machine}`;
    const memory = `${words} held ${Math.round(held.warm / MEGABYTE)} MB after its warm-up and ${Math.round(held.end / MEGABYTE)} MB at the end`;
    return [
      ...(grown(held) > MOST_MEMORY ? [{ invariant: 'memory', text: memory }] : []),
      ...[files, resources].flatMap((one) =>
        grown(one) > MOST_FILES
          ? [
              {
                invariant: 'handles',
                text: `${words} had ${one.warm} open after its warm-up and ${one.end} at the end`,
              },
            ]
          : [],
      ),
    ];
  });
}
