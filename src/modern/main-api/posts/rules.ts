import { brokenRuleMessages, isWebAddress, type TextRule, textRules } from '../../text-rules.ts';
import { holdsLongText, LONGEST_TEXT, sizeRule } from '../operations/content-size.ts';
import type { ChannelRecord } from '../directory.ts';
import { annotationRule } from './annotations.ts';
import type { PostContent } from './data.ts';
import type { AssetInput, ServiceMetadata, ThreadedPostInput } from './inputs.ts';
import { linksOf } from './present/present-assets.ts';
import { serviceProblems, takesLinks } from './networks.ts';

const LONGEST_SOURCE = 100;
const MOST_ASSETS = 20;
const LONGEST_THREAD = 50;
/** For a post with all parts of its thread: four for each part, which is what most networks take [inferred]. */
const MOST_ASSETS_IN_ALL = 200;

const given = (...urls: (string | null | undefined)[]) => urls.filter((url) => typeof url === 'string');

const assetUrls = ({ image, video, document, link }: AssetInput) =>
  given(
    image?.url,
    image?.thumbnailUrl,
    image?.metadata?.animatedThumbnail,
    video?.url,
    document?.url,
    document?.thumbnailUrl,
    link?.url,
    link?.thumbnailUrl,
  );

const metadataUrls = ({ linkAttachment, url, link, ...google }: ServiceMetadata) =>
  given(
    linkAttachment?.url,
    linkAttachment?.thumbnail?.url,
    url,
    link,
    google.detailsOffer?.link,
    google.detailsEvent?.link,
    google.detailsWhatsNew?.link,
  );

const kindsOf = ({ image, video, document, link }: AssetInput) =>
  [image, video, document, link].filter(Boolean).length;

const wholeSentence = ([isBroken, message]: TextRule): TextRule => [isBroken, `${message}.`];

const isSized = ({ image }: AssetInput) => {
  const { width, height } = image?.metadata?.dimensions ?? { width: 1, height: 1 };
  return width > 0 && height > 0;
};

const assetLists = ({ assets, metadata }: PostContent): AssetInput[][] => [
  assets,
  ...(metadata?.thread ?? []).map((part) => part.assets),
];

/** How many assets a post and the parts of its thread have. */
export const countAssets = (content: PostContent): number => assetLists(content).flat().length;

function assetRules(content: PostContent, assetsBefore: number): TextRule[] {
  const thread = content.metadata?.thread ?? [];
  const lists = assetLists(content);
  const all = lists.flat();
  return [
    [lists.some(({ length }) => length > MOST_ASSETS), `At most ${MOST_ASSETS} assets are allowed.`],
    [
      // A post that was stored before this rule keeps what it has.
      all.length > Math.max(MOST_ASSETS_IN_ALL, assetsBefore),
      `A post and the parts of its thread have at most ${MOST_ASSETS_IN_ALL} assets.`,
    ],
    [
      all.some((asset) => kindsOf(asset) !== 1),
      'Each asset must be exactly one of image, video, document and link.',
    ],
    [
      !all.flatMap(assetUrls).every(isWebAddress),
      'Each address of an asset must be a whole http or https address.',
    ],
    [
      all.some(({ video }) => typeof video?.thumbnailUrl === 'string'),
      'A video takes no thumbnailUrl. Choose one of its frames by metadata.thumbnailOffset.',
    ],
    [!all.every(isSized), 'The dimensions of an image must be positive.'],
    [
      thread.some((part) => part.assets.some(({ link }) => link)),
      'A part of a thread cannot have a link asset.',
    ],
  ];
}

function linkRules({ assets, metadata }: PostContent, { service }: ChannelRecord): TextRule[] {
  const links = linksOf(assets, metadata?.linkAttachment);
  const others = assets.filter(({ link }) => !link);
  return [
    [links.length > 1, 'Only one link is allowed.'],
    [links.length > 0 && others.length > 0, 'A link attachment and assets exclude each other.'],
    [links.length > 0 && !takesLinks(service), `A ${service} channel does not take links as assets.`],
    [!metadataUrls(metadata ?? {}).every(isWebAddress), 'Each link must be a whole http or https address.'],
  ];
}

function threadRules(text: string, thread: ThreadedPostInput[]): TextRule[] {
  const [first] = thread;
  return [
    [thread.length > LONGEST_THREAD, `A thread has at most ${LONGEST_THREAD} parts.`],
    [
      first !== undefined && (first.text ?? '') !== text,
      'The first part of a thread must have the post’s text.',
    ],
    [
      thread.some((part) => (part.text ?? '').length > LONGEST_TEXT),
      `A part of a thread has at most ${LONGEST_TEXT} characters.`,
    ],
  ];
}

/** Leaves out the length of the text and of thread parts: contentProblems and threadRules report these lengths. */
function sizeRules(content: PostContent, thread: ThreadedPostInput[]): TextRule[] {
  const { assets, metadata } = content;
  const others = [assets, thread.map((part) => part.assets), { ...metadata, thread: null }];
  return [
    [holdsLongText(others), `Each text of assets and metadata has at most ${LONGEST_TEXT} characters.`],
    wholeSentence(sizeRule(content, 'post')),
  ];
}

/**
 * Every reason why a channel cannot take this content [recorded]. A draft may be incomplete: the rules of the service
 * hold only for other posts. `assetsBefore`: how many assets the stored post has (`countAssets`), 0 for a new post.
 */
export function contentProblems(
  content: PostContent,
  channel: ChannelRecord,
  { isDraft, assetsBefore }: { isDraft: boolean; assetsBefore: number },
): string[] {
  const { text, metadata, source } = content;
  const thread = metadata?.thread ?? [];
  const rules: TextRule[] = [
    [text.length > LONGEST_TEXT, `Text has at most ${LONGEST_TEXT} characters.`],
    ...textRules(content).map(wholeSentence),
    [(source ?? '').length > LONGEST_SOURCE, `source has at most ${LONGEST_SOURCE} characters.`],
    ...assetRules(content, assetsBefore),
    ...linkRules(content, channel),
    ...threadRules(text, thread),
    ...sizeRules(content, thread),
    annotationRule(content),
  ];
  return [...brokenRuleMessages(rules), ...(isDraft ? [] : serviceProblems(content, channel))];
}
