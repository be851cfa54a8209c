import { z } from 'zod';
import { clientWord } from './config-values.ts';

/** The forms of the settings that OpenTelemetry has given their names. */

/** From 0 to 1, as `OTEL_TRACES_SAMPLER_ARG` of a ratio is written. */
export const ratio = z
  .string()
  .regex(/^(?:0(?:\.\d{1,6})?|1(?:\.0{1,6})?)$/, 'must be a share from 0 to 1, such as 0.05')
  .transform(Number);

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\x20-\x7e]*$/;

/** `name=value` with commas between, values percent-encoded. The message quotes nothing: a value may be a secret. */
export const headerList = clientWord.transform((text, check): Readonly<Record<string, string>> => {
  const pairs = text.split(',').map((pair) => pair.split(/=(.*)/s, 2).map((part) => part.trim()));
  try {
    const read = pairs.map(([name = '', value]) => [name, decodeURIComponent(value ?? '\n')] as const);
    if (read.every(([name, value]) => HEADER_NAME.test(name) && HEADER_VALUE.test(value)))
      return Object.fromEntries(read);
  } catch {
    // A broken escape is no value.
  }
  check.addIssue({ code: 'custom', message: 'must be name=value, with commas between several' });
  return {};
});
