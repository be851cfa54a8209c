import { describePasted } from './support/pasted.ts';

/** Every value in every field, and each way to paste it in its turn; canary.full.test.ts pastes in all ways. */
describePasted('in turn');
