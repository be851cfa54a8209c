import { lines, stackedBars } from '../../src/http/charts/charts.ts';
import type { Colour } from '../../src/http/wording/colours.ts';
import { stylesheet } from '../../src/shared/pages.ts';

/** The colours of charts can be told apart, and be seen, in both schemes. */

const COLOURS = [
  'accent',
  'second',
  'third',
  'fourth',
  'fifth',
  'ok',
  'warning',
  'danger',
  'muted',
] as const satisfies readonly Colour[];

/** The value of a variable of the style sheet in a scheme. */
function variableOf(sheet: string, variable: string, scheme: 'light' | 'dark'): string {
  const values = [...sheet.matchAll(new RegExp(`${variable}: (#[0-9a-f]{6});`, 'g'))].map(
    ([, value]) => value,
  );
  return values[scheme === 'light' ? 0 : 1] ?? '';
}

/** WCAG 2.2, relative luminance. */
function luminanceOf(colour: string): number {
  const channels = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = channels.map((channel) =>
    channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const drawingsOf = (html: string) => html.match(/<svg class="chart-drawing[\s\S]*?<\/svg>/g) ?? [];

test('series differ by more than their colour', () => {
  const series = COLOURS.map((kind) => ({
    label: kind,
    kind,
    values: [1, 2, 3],
  }));
  const chart = { id: 'calls', title: 'Calls', days: ['2026-11-02', '2026-11-03', '2026-11-04'], series };
  const [bars] = drawingsOf(stackedBars(chart));
  const hatches = [...(bars ?? '').matchAll(/chart-hatch" d="([^"]+)"/g)].map(([, d]) => d);
  // The first is full.
  expect(new Set(hatches).size).toBe(COLOURS.length - 1);
  const [curves] = drawingsOf(lines(chart));
  for (const { kind } of series) expect(curves).toContain(`chart-line chart-${kind}`);
});

test('each colour has enough contrast to what is behind it, in both schemes', () => {
  const sheet = stylesheet();
  const schemes = ['light', 'dark'] as const;
  for (const colour of COLOURS) {
    const variable =
      new RegExp(`^\\.chart-${colour} \\{\\s*color: var\\((--[\\w-]+)\\)`, 'm').exec(sheet)?.[1] ?? '';
    for (const scheme of schemes) {
      const contrast = contrastOf(
        variableOf(sheet, variable, scheme),
        variableOf(sheet, '--surface', scheme),
      );
      expect({ colour, scheme, isEnough: contrast >= 3 }).toEqual({ colour, scheme, isEnough: true });
    }
  }
});
