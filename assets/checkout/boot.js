/**
 * Inline in the page: begins to load its script (the other files, in a row), which browsers keep. Where it
 * cannot be loaded (no connection, or another release serves it) the page loads itself again, as without a
 * script. Before the first paint it writes the times that are near in the customer's own zone: these are
 * shorter than the server's, and a line less would move what stands below.
 */
{
  const { locale = 'en' } = document.body.dataset;
  const near = new Intl.DateTimeFormat(`${locale}-u-nu-latn`, { timeStyle: 'short' });
  for (const time of document.querySelectorAll('time'))
    if (time.dataset.near !== undefined) time.textContent = near.format(new Date(time.dateTime));
  const script = document.createElement('script');
  script.src = 'SCRIPT_PATH';
  script.addEventListener('error', () => {
    const { refresh, page = '' } = document.body.dataset;
    if (refresh) setTimeout(() => location.replace(page), Number(refresh) * 1000);
  });
  document.body.append(script);
}
