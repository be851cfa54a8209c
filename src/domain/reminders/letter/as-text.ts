import {
  type LetterBlock,
  type Card,
  type LetterContent,
  type LetterLine,
  type OtherApp,
  OTHERS,
} from './content.ts';

/** The mail as plain text. */

const WIDTH = 76;

/** Breaks lines at blanks; a word that is longer than a line stays whole. */
function wrapped(text: string, indent = ''): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && longer.length > WIDTH - indent.length) lines.push(line);
    line = line !== '' && longer.length > WIDTH - indent.length ? word : longer;
  }
  return [...lines, line].join(`\n${indent}`);
}

function lineOf({ text, link }: LetterLine, mark: string): string {
  const indent = ' '.repeat(mark.length);
  const where = link && `${indent}${link.label}:\n${indent}${link.href}`;
  return [`${mark}${wrapped(text, indent)}`, ...(where === undefined ? [] : [where])].join('\n');
}

function callsOf({ title, calls, more }: Extract<LetterBlock, { kind: 'calls' }>): string {
  const width = Math.max(...calls.map((line) => line.calls.length));
  const indent = ' '.repeat(width + 4);
  const rows = calls.map(
    ({ endpoint, how, calls: count }) =>
      `  ${count.padStart(width)}  ${wrapped(endpoint, indent)}\n${indent}${wrapped(how, indent)}`,
  );
  return [`${title}:`, ...rows, ...(more === '' ? [] : [`  ${more}`])].join('\n');
}

function textOf(block: LetterBlock): string {
  switch (block.kind) {
    case 'heading':
      return `* ${block.text} *`;
    case 'status':
    case 'text':
    case 'note':
      return wrapped(block.text);
    case 'list':
      return [`${block.title}:`, ...block.lines.map((line) => lineOf(line, '- '))].join('\n');
    case 'calls':
      return callsOf(block);
    case 'button':
      return `${block.link.label}:\n${block.link.href}`;
  }
}

function cardOf({ name, blocks }: Card): string {
  const title = `“${name}”`;
  return [`${title}\n${'-'.repeat(Math.min(WIDTH, Array.from(title).length))}`, ...blocks.map(textOf)].join(
    '\n\n',
  );
}

function otherLine({ name, words, href }: OtherApp): string {
  const text = words === '' ? name : `${name}: ${words}`;
  return lineOf({ text, ...(href !== undefined && { link: { label: 'See the app', href } }) }, '- ');
}

/** Lines end with `\n`. */
export function asText({ subject, greeting, opening, cards, others, more, foot }: LetterContent): string {
  const list = [...others.map(otherLine), ...(more ? [lineOf(more, '- ')] : [])].join('\n');
  const parts = [
    wrapped(subject),
    greeting,
    wrapped(opening),
    ...cards.map(cardOf),
    ...(list === '' ? [] : [`${OTHERS}:\n${list}`]),
    '--------',
    ...foot.map((line) => lineOf(line, '')),
  ];
  return `${parts.join('\n\n')}\n`;
}
