import { describeExamples } from './support/run-examples.ts';

/** The examples in one language; examples.full.test.ts runs those whose processes take longer to start. */
describeExamples('curl');
