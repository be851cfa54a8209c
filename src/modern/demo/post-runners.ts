import { type DemoPost, document, image, thread } from './post-plan.ts';

const FIRST_TEN = 'Your first ten kilometres, in six weeks, without hating it. A plan in four parts.';

/** The running club's posts of the first person, oldest first. */
export const runnerPosts: DemoPost[] = [
  {
    channel: '3d06',
    status: 'sent',
    on: [-13, '06:30'],
    text: 'Fog on the towpath, herons on the weir, eleven of us out before breakfast. Not a bad Tuesday.',
    assets: [image('towpath', 'Runners on a towpath in the fog')],
    via: 'buffer',
    tags: ['weekly run'],
  },
  {
    channel: '3d05',
    status: 'sent',
    on: [-11, '07:45'],
    text: 'Riverside Running Club is looking for partners for the spring half marathon: water, bananas and kind words.',
    assets: [document('partners', 'Partner with Riverside')],
    tags: ['half marathon'],
  },
  {
    channel: '3d07',
    status: 'sent',
    on: [-10, '12:00'],
    text: FIRST_TEN,
    metadata: {
      thread: thread(
        FIRST_TEN,
        'Weeks one and two: three outings of half an hour. Walk whenever you like. Talking must stay easy.',
        'Weeks three and four: one of them gets longer, by five minutes each time. The others stay short.',
        'Weeks five and six: seven kilometres, then eight, then rest. On the day, start slower than you want to.',
      ),
    },
    tags: ['training'],
  },
  {
    channel: '3d06',
    status: 'sent',
    on: [-8, '19:00'],
    text: 'Hills tonight. Six times up, six times down, one round of chips.',
    tags: ['weekly run', 'training'],
  },
  {
    channel: '3d05',
    status: 'sent',
    on: [-6, '07:45'],
    text: 'Forty volunteers, 312 finishers, no lost shoes: thank you for a wonderful river relay.',
    assets: [image('relay-finish', 'A team crossing the finish line hand in hand')],
    via: 'buffer',
  },
  {
    channel: '3d07',
    status: 'sent',
    on: [-5, '08:00'],
    text: 'The route for Sunday is up: twelve flat kilometres, one bridge, two benches.',
    metadata: {
      linkAttachment: {
        url: 'https://riverside-runners.example/routes/two-bridges',
        title: 'Two benches and a bridge',
        description: 'Twelve kilometres along the river.',
      },
    },
    tags: ['weekly run'],
  },
  {
    channel: '3d06',
    status: 'sent',
    on: [-3, '08:00'],
    text: 'Lost on Sunday: one glove, left hand, bright green. Found: two gloves, right hand, bright green.',
    metadata: { spoilerText: 'A mystery in two parts' },
  },
  {
    channel: '3d05',
    status: 'sent',
    on: [-1, '07:45'],
    text: 'Entries for the spring half marathon are open. The first hundred get a mug.',
    tags: ['half marathon'],
  },
  {
    channel: '3d05',
    status: 'scheduled',
    on: [2, '07:45'],
    queued: true,
    text: 'Running with colleagues? Teams of four enter for the price of three until the end of the month.',
    tags: ['half marathon'],
  },
  {
    channel: '3d06',
    status: 'scheduled',
    on: [2, '06:30'],
    queued: true,
    text: 'Early shift: meet at the boathouse at half past six. Lights, please.',
    tags: ['weekly run'],
  },
  {
    channel: '3d07',
    status: 'scheduled',
    on: [7, '08:00'],
    text: 'Sunday’s run starts at the mill this time. Cake at the end, as the statutes demand.',
    tags: ['weekly run'],
  },
  {
    channel: '3d07',
    status: 'draft',
    on: [-2, '22:30'],
    text: 'A kind word about running slowly.',
    via: 'buffer',
  },
];

/** The record shop's posts of the second person. */
export const recordPosts: DemoPost[] = [
  {
    channel: '3d08',
    status: 'sent',
    on: [-9, '16:00'],
    text: 'New on the wall: sleeves in blue.',
    assets: [image('blue-sleeves', 'A wall of record sleeves in blue')],
    metadata: { boardServiceId: 'sleeves', title: 'Sleeves in blue' },
    via: 'buffer',
  },
  {
    channel: '3d08',
    status: 'scheduled',
    on: [5, '16:00'],
    queued: true,
    text: 'Friday in the crate: hand-painted sleeves from a garage sale.',
    assets: [image('painted-sleeves', 'Three hand-painted record sleeves')],
    metadata: { boardServiceId: 'sleeves', title: 'Painted by hand' },
    tags: ['new in'],
  },
  {
    channel: '3d08',
    status: 'draft',
    on: [-1, '11:00'],
    text: 'Ten sleeves with dogs on them.',
    tags: ['new in'],
  },
];
