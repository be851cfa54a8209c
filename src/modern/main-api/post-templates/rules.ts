import { brokenRuleMessages, hidesCharacters, isName, NAME_RULE, textRules } from '../../text-rules.ts';
import { LONGEST_TEXT } from '../operations/content-size.ts';
import type { PostTemplateRecord } from './data.ts';

const LONGEST_DESCRIPTION = 500;
const LONGEST_EMOJI = 32;

const isText = (text: string, longest: number) => text.trim() !== '' && text.length <= longest;

type TemplateText = Pick<PostTemplateRecord, 'title' | 'body' | 'description' | 'emoji' | 'visibility'>;

/** The problems of a template. Each problem is a sentence without the full stop. */
export function templateProblems({ title, body, description, emoji, visibility }: TemplateText): string[] {
  return brokenRuleMessages([
    [!isName(title), NAME_RULE.replace('name', 'title')],
    [!isText(body, LONGEST_TEXT), `The body must have 1 to ${LONGEST_TEXT} characters`],
    [
      !isText(description, LONGEST_DESCRIPTION),
      `The description must have 1 to ${LONGEST_DESCRIPTION} characters`,
    ],
    [
      emoji.length > LONGEST_EMOJI || hidesCharacters(emoji),
      `The emoji must be up to ${LONGEST_EMOJI} characters that can be seen`,
    ],
    [visibility === 'public', 'Nobody can make a template public'],
    ...textRules([body, description]),
  ]);
}
