import { PlainWords } from '../shared/log/redaction.ts';

/** Thrown with one line per problem. Each line names its setting, and quoted values are already redacted. */
export class ConfigError extends PlainWords {
  override readonly name = 'ConfigError';
  constructor(problems: readonly string[]) {
    super(`The settings are not usable:\n${problems.map((line) => `  ${line}`).join('\n')}`);
  }
}
