/** Shows every sample in the language that the reader chose last, on this page and on others. */
{
  const KEY = 'docs-language';

  /** @param {string} language */
  function show(language) {
    const choices = document.querySelectorAll('.sample > input');
    for (const choice of choices)
      if (choice instanceof HTMLInputElement && choice.value === language) choice.checked = true;
  }

  /** A browser may refuse to store anything: the choice then lasts for the page.
   * @param {() => string | null | void} use */
  function stored(use) {
    try {
      return use() ?? null;
    } catch {
      return null;
    }
  }

  const before = stored(() => localStorage.getItem(KEY));
  if (before !== null) show(before);
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.closest('.sample') === null) return;
    const top = target.getBoundingClientRect().top;
    show(target.value);
    // Samples above may have become longer: what the reader looks at stays where it was.
    scrollBy(0, target.getBoundingClientRect().top - top);
    stored(() => localStorage.setItem(KEY, target.value));
  });
}
