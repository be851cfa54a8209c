import { styleText } from 'node:util';
import { readTerminalWishes } from '../../config/config.ts';

/** Colours a text, or leaves it as it is. */
export type Paint = (format: 'bold' | 'red' | 'green' | 'yellow' | 'dim', text: string) => string;

export const plain: Paint = (_format, text) => text;

// Whether to colour is decided here: Node would look at standard output alone.
const coloured: Paint = (format, text) => styleText(format, text, { validateStream: false });

/**
 * Colour on a terminal alone. `--no-color` and NO_COLOR forbid it, FORCE_COLOR asks for it elsewhere too; of two that
 * contradict each other the option counts, then FORCE_COLOR, as Node itself has it.
 */
export function paintFor(stream: { isTTY?: boolean }, isAllowed: boolean): Paint {
  const { isColorForced, isColorRefused } = readTerminalWishes();
  if (!isAllowed) return plain;
  if (isColorForced) return coloured;
  return stream.isTTY === true && !isColorRefused ? coloured : plain;
}
