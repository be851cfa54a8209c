// Shows every time of the page in the zone of its reader; what the server wrote, in UTC, stays as the tooltip.
const written = (timeStyle) => new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle });
const shown = { minutes: written('short'), seconds: written('medium') };
const zoned = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' });

const zoneOf = (time) => zoned.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? '';

function showLocally(root) {
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
