import { describeEveryPage } from './support/every-page.ts';

/** Every page, where little is known and much, in both themes, on a phone and at a desk, with what axe finds and a picture of each view. */
describeEveryPage([
  { width: 390, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
]);
