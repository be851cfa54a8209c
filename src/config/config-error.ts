import { PlainWords } from '../shared/log/redaction.ts';

/** Thrown with one line per problem, each naming its setting. Where a line quotes a value, that is redacted already. */
export class ConfigError extends PlainWords {
  override readonly name = 'ConfigError';
  constructor(problems: readonly string[]) {
    super(`The settings are not usable:\n${problems.map((line) => `  ${line}`).join('\n')}`);
  }
}
