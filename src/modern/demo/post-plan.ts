import type { PostStatus } from '../main-api/posts/data.ts';
import type {
  AssetInput,
  SchedulingType,
  ServiceMetadata,
  ThreadedPostInput,
} from '../main-api/posts/inputs.ts';

/** A demo post as it is written down: its place in time is counted from the day of the first start. */
export interface DemoPost {
  /** The last characters of the channel's id. */
  channel: string;
  status: PostStatus;
  /** The day, in days from today (of a draft: when it was made), and the time in the channel's zone. */
  on: readonly [days: number, time: string];
  /** Takes the next free time of the queue in place of `on`. */
  queued?: true;
  text: string;
  assets?: AssetInput[];
  metadata?: ServiceMetadata;
  tags?: readonly string[];
  /** Without one it was made by the API; network means that it was written on the network itself. */
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

/** A thread's parts; the first one repeats the text of the post. */
export const thread = (...texts: string[]): ThreadedPostInput[] =>
  texts.map((text) => ({ text, assets: [] }));
