import { describeExamples } from './support/run-examples.ts';

/** Every example in the languages that take a process with a start of its own. */
describeExamples('typescript');
describeExamples('python');
describeExamples('php');
describeExamples('wordpress');
