/** A refusal that a person reads: a page with a title, one plain sentence and what to do next. Never a redirect. */
export class PageError extends Error {
  override readonly name = 'PageError';
  readonly status: number;
  readonly title: string;
  readonly next: string | undefined;

  constructor(status: number, title: string, text: { reason: string; next?: string }) {
    super(text.reason);
    this.status = status;
    this.title = title;
    this.next = text.next;
  }
}
