import { describeExamples } from '../support/examples.ts';

/** The examples in the languages that take a process with a start of its own for each step. */
describeExamples(['typescript', 'python']);
