/**
 * Shows what is typed into the form of the appearance in the frames beside it, a moment later. Without this
 * script the form has a button for it.
 */
{
  /** More often it would load pages that nobody looks at. */
  const WAIT_MS = 400;

  const form = document.querySelector('form[data-preview]');
  const frames = document.querySelectorAll('iframe[data-scheme]');
  let timer = 0;

  /** @param {HTMLFormElement} typed */
  function show(typed) {
    const fields = [...new FormData(typed)].map(([name, value]) => [
      name,
      typeof value === 'string' ? value : '',
    ]);
    for (const frame of frames)
      if (frame instanceof HTMLIFrameElement) {
        const url = new URL(frame.src);
        url.search = String(new URLSearchParams([['scheme', frame.dataset.scheme ?? ''], ...fields]));
        // It adds no step to the browser's way back.
        frame.contentWindow?.location.replace(url);
      }
  }

  if (form instanceof HTMLFormElement)
    form.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(() => show(form), WAIT_MS);
    });
}
