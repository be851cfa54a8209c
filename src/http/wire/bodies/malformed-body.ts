import { WithoutStack } from '../../../shared/refusals/without-stack.ts';

/** A body that does not match its content type. */
export class MalformedBody extends WithoutStack {
  override readonly name = 'MalformedBody';
  readonly #findField: () => string | undefined;

  constructor(message: string, options: { cause?: unknown; findField?: () => string | undefined } = {}) {
    super(message, { cause: options.cause });
    this.#findField = options.findField ?? (() => undefined);
  }

  /** The parameter that came too often, where one parameter is the cause. Found when a known caller is told of it. */
  get field(): string | undefined {
    return this.#findField();
  }
}
