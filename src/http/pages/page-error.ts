/** Where a person goes on. */
export interface WayOn {
  href: string;
  label: string;
  /** Whether it leads away from this site, so that the person is to decide. */
  isButton?: boolean;
}

interface PageErrorText {
  reason: string;
  next?: string;
  wayOn?: WayOn;
  /** A line for those who make the app that led here, in fixed words: nothing that the request said. */
  forMakers?: string;
  retryAfter?: number;
}

/** A refusal that a person reads: a page with a title, one plain sentence and what to do next. Never a redirect. */
export class PageError extends Error {
  override readonly name = 'PageError';
  readonly status: number;
  readonly title: string;
  readonly next: string | undefined;
  /** Where that is done, if it is not the first page of the half of the site on which it happened. */
  readonly wayOn: WayOn | undefined;
  readonly forMakers: string | undefined;
  /** Whole seconds until it is worth trying again. */
  readonly retryAfter: number | undefined;

  constructor(status: number, title: string, text: PageErrorText) {
    super(text.reason);
    this.status = status;
    this.title = title;
    this.next = text.next;
    this.wayOn = text.wayOn;
    this.forMakers = text.forMakers;
    this.retryAfter = text.retryAfter;
  }
}

/** A form that did not come from the page that this browser was shown. */
export function expiredForm(): PageError {
  return new PageError(403, 'This form has expired', {
    reason: 'It was not sent from the page that this browser opened.',
    next: 'Go back to the app and start again from there.',
  });
}
