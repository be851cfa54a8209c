// The page that shows calls as they come: says whether it listens, keeps the table short, and goes on where it was.
const ROWS_MAX = 200;

const state = document.getElementById('live-state');

let last;

const say = (text) => {
  state.textContent = text;
};

// A browser sends the last id itself when a connection was cut, but not where it has to be made anew.
htmx.createEventSource = (url) => {
  const address = new URL(url, location.href);
  if (last) address.searchParams.set('after', last);
  return new EventSource(address);
};

document.addEventListener('htmx:sseOpen', () => say(state.dataset.open));
document.addEventListener('htmx:sseError', () => say(state.dataset.lost));
document.addEventListener('htmx:sseClose', () => {
  state.hidden = true;
});

document.addEventListener('htmx:sseMessage', ({ target, detail }) => {
  last = detail.lastEventId || last;
  if (target.tagName === 'TBODY') for (const row of [...target.rows].slice(ROWS_MAX)) row.remove();
});

state.hidden = false;
