// Forms whose answer is shown in place: no reload, no new entry in the history.

let isPosting = false;

document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event;
  if (!(form instanceof HTMLFormElement) || form.dataset.here === undefined) return;
  event.preventDefault();
  if (!isPosting) void post(form, submitter instanceof HTMLButtonElement ? submitter : null);
});

/**
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement | null} button
 */
async function post(form, button) {
  isPosting = true;
  const { here = '', failed = '' } = form.dataset;
  let result = failed;
  let ok = false;
  try {
    const body = new URLSearchParams();
    for (const [name, value] of new FormData(form, button))
      body.append(name, typeof value === 'string' ? value : '');
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
  isPosting = false;
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
