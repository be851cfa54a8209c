/** The palette for labels. The names come from the real service; the colours are our own. [inferred] */
const palette: ReadonlyMap<string, string> = new Map([
  ['#2f6fde', 'blue'],
  ['#9bbcf2', 'blueLight'],
  ['#6b7280', 'gray'],
  ['#c4c8cf', 'grayLight'],
  ['#3a9d5d', 'green'],
  ['#9fd6b3', 'greenLight'],
  ['#c9822b', 'orange'],
  ['#eac79b', 'orangeLight'],
  ['#f523f1', 'pink'],
  ['#f9a8f7', 'pinkLight'],
  ['#7a4fbf', 'purple'],
  ['#c3aee6', 'purpleLight'],
  ['#d64550', 'red'],
  ['#efa6ab', 'redLight'],
  ['#1f9aa6', 'teal'],
  ['#97d4da', 'tealLight'],
  ['#e0b400', 'yellow'],
  ['#f3dd8a', 'yellowLight'],
]);

/** Adds the palette name of the colour to a label; null for a colour outside the palette. */
export const withColorName = <T extends { color: string }>(label: T) => ({
  ...label,
  colorName: palette.get(label.color.toLowerCase()) ?? null,
});
