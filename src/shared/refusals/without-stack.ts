/**
 * An answer that travels as an error inside the rooms of HTTP. It is sent where it is caught, so no log line needs the place
 * where it was made, and to record that takes a tenth of a refused call. A refusal of a use case keeps its stack: one that
 * nobody expected is found by it.
 */
export abstract class WithoutStack extends Error {
  constructor(message: string, options?: ErrorOptions) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      super(message, options);
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }
}
