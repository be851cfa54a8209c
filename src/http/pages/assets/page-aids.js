// What script adds to every page: “/” leads to the search box, what has to be copied has a button for it, and a double
// click sends a form once.
const isTyping = ({ target }) => target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);

document.addEventListener('keydown', (event) => {
  const box = document.querySelector('input[aria-keyshortcuts="/"]');
  if (!box || event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  event.preventDefault();
  box.focus();
  box.select();
});

// A browser shows only the answer to its last request. The answer to the first one may tell a secret, which is told once.
// After this time a person may mean it: the first request may have been stopped.
const SENT_FOR = 3000;

let sent;

document.addEventListener('submit', (event) => {
  if (event.defaultPrevented || event.target.method !== 'post') return;
  const { target: form, submitter, timeStamp: at } = event;
  const isAgain = sent?.form === form && sent.submitter === submitter && at - sent.at < SENT_FOR;
  if (isAgain) event.preventDefault();
  else sent = { form, submitter, at };
});

// A page that the browser kept stands as new when the person comes back to it.
window.addEventListener('pageshow', () => {
  sent = undefined;
});

const COPIED_FOR = 2000;

const textOf = (element) => (element.value ?? element.textContent).trim();

// A page that is not opened over HTTPS has no clipboard.
function addCopyButton(element) {
  const button = document.createElement('button');
  const name = element.dataset.copy ?? 'the code';
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', `Copy ${name}`);
  const state = document.createElement('span');
  state.setAttribute('role', 'status');
  state.className = 'visually-hidden';
  const say = (words, read) => {
    button.textContent = words;
    state.textContent = read;
  };
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(textOf(element)).then(
      () => say('Copied', 'Copied'),
      () => say('Not copied', 'The browser did not copy it'),
    );
    setTimeout(() => say('Copy', ''), COPIED_FOR);
  });
  element.after(button, state);
}

// On a phone the tabs of an app stand in one row, of which the open one may be out of sight.
const openTab = document.querySelector('.app-head [aria-current]');
if (openTab) {
  const row = openTab.closest('ul');
  row.scrollLeft = openTab.getBoundingClientRect().left - row.getBoundingClientRect().left - 32;
}

if (navigator.clipboard) {
  for (const element of document.querySelectorAll('[data-copy], .example > pre, .beside > div > pre')) addCopyButton(element);
}
