import type { PostStatus } from '../main-api/posts/data.ts';
import type {
  AssetInput,
  SchedulingType,
  ServiceMetadata,
  ThreadedPostInput,
} from '../main-api/posts/inputs.ts';

/** A demo post as written in this folder. Its times count from the day of the first start. */
export interface DemoPost {
  /** The last characters of the id of the channel. */
  channel: string;
  status: PostStatus;
  /**
   * The day, in days from today, and the time in the zone of the channel. For a draft, `on` only decides when the draft
   * was made.
   */
  on: readonly [days: number, time: string];
  /** Uses the next free time of the queue instead of `on`. */
  queued?: true;
  text: string;
  assets?: AssetInput[];
  metadata?: ServiceMetadata;
  tags?: readonly string[];
  /** Unset: the API made the post. `network`: the post was written on the network itself. */
  via?: 'buffer' | 'network';
  schedulingType?: SchedulingType;
  error?: string;
}

const file = (name: string) => `https://images.grantbridge.example/posts/${name}`;

export const image = (name: string, altText: string): AssetInput => ({
  image: { url: file(`${name}.jpg`), metadata: { altText, dimensions: { width: 1600, height: 1200 } } },
});

export const video = (name: string): AssetInput => ({ video: { url: file(`${name}.mp4`) } });

export const document = (name: string, title: string): AssetInput => ({
  document: { url: file(`${name}.pdf`), title, thumbnailUrl: file(`${name}.png`) },
});

/** The parts of a thread. The first part repeats the text of the post. */
export const thread = (...texts: string[]): ThreadedPostInput[] =>
  texts.map((text) => ({ text, assets: [] }));
