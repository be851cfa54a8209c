import { describePasted } from './support/pasted.ts';

/** Every value in every field in every way, by everybody. */
describePasted('all');
