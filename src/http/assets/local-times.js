// Shows every time of the page in the zone of its reader; what the server wrote, in UTC, stays as the tooltip.
const shown = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const zoned = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' });

const zoneOf = (time) => zoned.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? '';

function showLocally(root) {
  for (const element of root.querySelectorAll('time.local:not([title])')) {
    const time = new Date(element.dateTime);
    element.title = element.textContent;
    element.textContent = `${shown.format(time)} ${zoneOf(time)}`;
  }
}

showLocally(document);
document.addEventListener('htmx:load', (event) => showLocally(event.target));
