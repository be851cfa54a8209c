import { brokenRuleMessages, isWebAddress, type TextRule, textRules } from '../../text-rules.ts';
import { sizeRule } from '../operations/content-size.ts';
import { newObjectId } from '../object-id.ts';
import type { IdeaContent, IdeaMedia, IdeaTag } from './data.ts';

type NullishFields<T> = { [Name in keyof T]?: T[Name] | null };

interface MediaInput extends NullishFields<Omit<IdeaMedia, 'url' | 'type' | 'source'>> {
  url: string;
  type: IdeaMedia['type'];
  source?: { name: string; id?: string | null; author?: string | null; authorUrl?: string | null } | null;
}

export interface IdeaContentInput extends NullishFields<Omit<IdeaContent, 'media'>> {
  media?: MediaInput[] | null;
}

const MAX_TITLE = 500;
const MAX_TEXT = 20_000;
const MAX_MEDIA = 20;
const MAX_TAGS = 50;
const MAX_ALT = 2000;
const MAX_SOURCE = 2048;

const isTag = ({ id, name, color }: IdeaTag) =>
  id.length <= 100 && name.trim() !== '' && name.length <= 100 && /^#[0-9a-f]{6}$/i.test(color);

const isLonger = (value: { length: number } | null | undefined, than: number) =>
  value !== null && value !== undefined && value.length > than;

const isLongSourced = ({ source }: MediaInput) =>
  Object.values(source ?? {}).some((entry) => isLonger(entry, MAX_SOURCE));

function mediaRules(media: MediaInput[]): TextRule[] {
  const addresses = media.flatMap(({ url, thumbnailUrl }) => [url, thumbnailUrl ?? url]);
  return [
    [media.length > MAX_MEDIA, `An idea can have at most ${MAX_MEDIA} media`],
    [media.some(({ type }) => type === 'video'), 'Media of type video cannot be added through the API'],
    [!addresses.every(isWebAddress), 'Media must have http or https addresses'],
    [
      media.some(({ alt }) => isLonger(alt, MAX_ALT)),
      `The alt text of media can have at most ${MAX_ALT} characters`,
    ],
    [media.some(isLongSourced), `Each entry of a source can have at most ${MAX_SOURCE} characters`],
    [media.some(({ size }) => (size ?? 0) < 0), 'The size of media cannot be negative'],
  ];
}

const isBlank = (text?: string | null) => !text?.trim();

/** The problems of an idea's content. Each problem is a sentence without the full stop. */
export function ideaProblems(content: IdeaContentInput): string[] {
  const { title, text, media, tags } = content;
  const isEmpty = isBlank(title) && isBlank(text) && !isLonger(media, 0);
  return brokenRuleMessages([
    [isEmpty, 'An idea needs a title, a text or media'],
    [isLonger(title, MAX_TITLE), `The title can have at most ${MAX_TITLE} characters`],
    [isLonger(text, MAX_TEXT), `The text can have at most ${MAX_TEXT} characters`],
    [isLonger(tags, MAX_TAGS), `An idea can have at most ${MAX_TAGS} tags`],
    [!(tags ?? []).every(isTag), 'Each tag needs a name and a colour such as #F523F1'],
    ...mediaRules(media ?? []),
    ...textRules(content),
    sizeRule(content, 'idea'),
  ]);
}

function mediaFrom({ url, type, alt, thumbnailUrl, size, source }: MediaInput): IdeaMedia {
  const { name, id, author, authorUrl } = source ?? {};
  return {
    id: newObjectId(),
    url,
    type,
    alt: alt ?? null,
    thumbnailUrl: thumbnailUrl ?? null,
    size: size ?? null,
    source:
      name === undefined
        ? null
        : { name, id: id ?? null, author: author ?? null, authorUrl: authorUrl ?? null },
  };
}

/** Makes the stored content from an input without problems. */
export const contentFrom = (input: IdeaContentInput): IdeaContent => ({
  title: input.title ?? null,
  text: input.text ?? null,
  media: input.media?.map(mediaFrom) ?? null,
  tags: input.tags ?? [],
  aiAssisted: input.aiAssisted ?? false,
  services: [...new Set(input.services)],
  date: input.date ?? null,
});
