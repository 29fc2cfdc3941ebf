// Forms whose answer is shown in place: no reload, no new entry in the history.

/** Posts run one after another, so that answers are shown in the order of the taps. */
let posts = Promise.resolve();
/** What is not answered yet: tapped again, it is posted once. @type {Set<string>} */
const unanswered = new Set();

document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event;
  if (!(form instanceof HTMLFormElement) || form.dataset.here === undefined) return;
  event.preventDefault();
  const button = submitter instanceof HTMLButtonElement ? submitter : null;
  // As it was tapped: an update may replace the form before its turn.
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, button))
    body.append(name, typeof value === 'string' ? value : '');
  const key = `${form.action} ${body}`;
  if (unanswered.has(key)) return;
  unanswered.add(key);
  shown.posting = '';
  posts = posts.then(async () => {
    await post(form, button, body);
    unanswered.delete(key);
    if (unanswered.size === 0) delete shown.posting;
  });
});

/**
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement | null} button
 * @param {URLSearchParams} body
 */
async function post(form, button, body) {
  const { here = '' } = form.dataset;
  const { failed = '' } = shown;
  let result = failed;
  let ok = false;
  try {
    const answer = await fetch(form.action, { method: 'POST', body });
    const text = await answer.text();
    ok = answer.ok;
    // What is chosen is closed, unless there is more to choose. An update may have replaced the form meanwhile.
    const choice = here === 'choice' && button?.name !== 'open' ? byId(here) : null;
    if (ok && choice instanceof HTMLDetailsElement) {
      choice.open = false;
      byId('chosen')?.focus();
    }
    result = ok ? (button?.dataset.done ?? '') : '';
    if (!show(text, here)) {
      result = parsed(text).querySelector('h1+p')?.textContent ?? failed;
      await reload();
    } else if (!ok) result = byId(here)?.querySelector('.fault')?.textContent ?? failed;
  } catch {
    // `result` says that it did not work.
  }
  // What the stream was to send may be older than the answer: it begins again with what the page shows now.
  follow();
  // A next step is read from its beginning.
  const next = byId(here)?.querySelector('[autofocus]');
  if (next instanceof HTMLElement) next.focus();
  const outcome = form.id === 'play' ? byId('outcome') : null;
  if (outcome) {
    outcome.textContent = result;
    outcome.className = ok ? 'small' : 'warning';
    announce(result);
  } else if (ok || byId(here)?.querySelector('.fault')) {
    notify('');
    const heard = result || byId(here)?.querySelector('[data-heard]')?.textContent;
    if (heard) announce(heard);
  } else notify(result);
}
