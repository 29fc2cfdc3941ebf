/** Shows what the search finds below its field while the reader types. The page of results is the server's. */
{
  const PAUSE_MS = 150;
  const form = document.querySelector('form[role="search"]');
  const field = document.querySelector('#search');
  let timer = 0;
  /** The latest search: the results of an earlier one that come later are not shown. */
  let latest = 0;

  function hide() {
    document.querySelector('#suggested')?.remove();
  }

  /** @param {string} query */
  async function suggest(query) {
    latest += 1;
    const own = latest;
    const response = await fetch(`/docs/search?q=${encodeURIComponent(query)}`);
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const found = page.querySelector('#results');
    if (own !== latest || found === null) return;
    hide();
    found.id = 'suggested';
    found.setAttribute('role', 'status');
    form?.append(found);
  }

  if (form instanceof HTMLFormElement && field instanceof HTMLInputElement) {
    field.addEventListener('input', () => {
      clearTimeout(timer);
      latest += 1;
      if (field.value.trim() === '') hide();
      // Without a connection the form still leads to the page of results.
      else timer = setTimeout(() => suggest(field.value).catch(hide), PAUSE_MS);
    });
    form.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') hide();
    });
    form.addEventListener('focusout', ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node) || !form.contains(relatedTarget)) hide();
    });
  }
}
