/**
 * An answer that travels as an error. It tells of no fault of the program, so nobody reads where it was made, and to record
 * that takes a tenth of a refused call.
 */
export abstract class WithoutStack extends Error {
  constructor(message: string, options?: ErrorOptions) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = stackTraceLimit;
  }
}
