import { describeEveryPage } from './support/every-page.ts';

/** Every page, in both themes, on a phone and on a wide screen, with what axe finds and a picture of each view. */
describeEveryPage([
  { width: 360, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
  { width: 1600, colorScheme: 'light' },
  { width: 1600, colorScheme: 'dark' },
]);
