import { describeExamples } from './support/examples.ts';

/** The examples in one language; app-examples.long.test.ts runs the others. */
describeExamples(['curl']);
