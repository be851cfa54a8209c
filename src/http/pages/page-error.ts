/** A link by which a person goes on. */
export interface OnwardLink {
  href: string;
  label: string;
  /** Whether the link leads away from this site. The button lets the person decide. */
  isButton?: boolean;
}

interface PageErrorText {
  reason: string;
  next?: string;
  wayOn?: OnwardLink;
  /**
   * A line for the developers of the app that led here. The words are fixed: the line quotes nothing from the request.
   */
  forMakers?: string;
  retryAfter?: number;
}

/** A refusal that a person reads: a page with a title, one plain sentence and the next step. Never a redirect. */
export class PageError extends Error {
  override readonly name = 'PageError';
  readonly status: number;
  readonly title: string;
  readonly next: string | undefined;
  /** Where to take the next step, if not on the first page of this half of the site. */
  readonly wayOn: OnwardLink | undefined;
  readonly forMakers: string | undefined;
  /** Whole seconds until a new attempt makes sense. */
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

/**
 * The refusal of a form that did not come from the page that this browser opened. A page that the reader cannot open
 * again gives its own next step.
 */
export function expiredForm(way: Pick<PageErrorText, 'next' | 'wayOn'> = {}): PageError {
  return new PageError(403, 'This form has expired', {
    reason: 'It was not sent from the page that this browser opened, or that page was open for too long.',
    next: 'Nothing was changed. Open the page again, and send the form from there.',
    ...way,
  });
}
