// Shows every time of the page in the zone of its reader; what the server wrote, in UTC, stays as the tooltip.
const written = (timeStyle) => new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle });
const shown = { minutes: written('short'), seconds: written('medium') };
const zoned = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' });

const zoneOf = (time) => zoned.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? '';

// The days that are left, counted as the reader sees the date beside them. The words are those of days-left.ts.
const dayNumber = (time) => Date.UTC(time.getFullYear(), time.getMonth(), time.getDate()) / 86_400_000;
const daysLeft = {
  in: (days) => ['today', 'tomorrow'][days] ?? `in ${days} days`,
  left: (days) => ['less than a day left', '1 day left'][days] ?? `${days} days left`,
};

function countDays(root) {
  for (const element of root.querySelectorAll('time.days')) {
    const days = dayNumber(new Date(element.dateTime)) - dayNumber(new Date(element.dataset.now));
    element.textContent = daysLeft[element.dataset.form](days);
    // The server coloured the badge by days in UTC.
    const { soon } = element.dataset;
    if (soon !== undefined) element.closest('.badge')?.classList.toggle('warning', days <= Number(soon));
  }
}

function showLocally(root) {
  countDays(root);
  for (const element of root.querySelectorAll('time.local:not([title])')) {
    const time = new Date(element.dateTime);
    const format = element.classList.contains('seconds') ? shown.seconds : shown.minutes;
    element.title = element.textContent;
    element.textContent = `${format.format(time)} ${zoneOf(time)}`;
  }
}

showLocally(document);
// What comes into the page later.
document.addEventListener('htmx:load', ({ target }) => showLocally(target));
