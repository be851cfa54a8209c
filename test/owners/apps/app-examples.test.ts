import { describeExamples } from '../support/examples.ts';

/** The examples in one language; app-examples.full.test.ts runs the others. */
describeExamples(['curl']);
