import { sendRaw } from '../../support/callers/raw-request.ts';

/** One line of a scrape. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

function sampleOf(line: string): Sample {
  const [, name = '', labels = '', value = ''] = LINE.exec(line) ?? [];
  if (name === '') throw new Error(`not a sample: ${line}`);
  const pairs = [...labels.matchAll(LABEL)].map(([, key = '', text = '']) => [key, text]);
  return {
    name,
    labels: Object.fromEntries(pairs) as Sample['labels'],
    value: Number(value.replace('Inf', 'Infinity')),
  };
}

/** The text of `/metrics`. */
export async function scrapeText(origin: string, headers: Record<string, string> = {}): Promise<string> {
  const { status, text } = await sendRaw(origin, { path: '/metrics', headers });
  if (status !== 200) throw new Error(`/metrics answered ${status}`);
  return text;
}

/** Every sample of a text of `/metrics`. */
export const samplesOf = (text: string): Sample[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(sampleOf);

export const scrape = async (origin: string): Promise<Sample[]> => samplesOf(await scrapeText(origin));

/** The sum of the samples with this name and these labels; 0 without one. */
export function sumOf(samples: Sample[], name: string, labels: Sample['labels'] = {}): number {
  return samples
    .filter((one) => one.name === name)
    .filter((one) => Object.entries(labels).every(([key, value]) => one.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0);
}
