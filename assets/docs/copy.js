/**
 * The documentation's script: these files in a row, as one module. Pages work without it.
 *
 * Gives each block of code a button that copies it, and says so.
 */
{
  const COPIED_MS = 2_000;

  /** @param {HTMLPreElement} block */
  function addCopyButton(block) {
    const frame = document.createElement('div');
    frame.className = 'copied';
    block.replaceWith(frame);
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'tiny';
    button.textContent = 'Copy';
    // Screen readers announce what it says next.
    button.setAttribute('aria-live', 'polite');
    frame.append(button, block);
    button.addEventListener('click', () => void copy(button, block.innerText));
  }

  /** @param {HTMLButtonElement} button
   * @param {string} text */
  async function copy(button, text) {
    button.textContent = (await isCopied(text)) ? 'Copied' : 'Select it and copy';
    setTimeout(() => (button.textContent = 'Copy'), COPIED_MS);
  }

  /**
   * False where the page is served without TLS, or the browser refuses.
   * @param {string} text
   */
  async function isCopied(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return false;
    }
  }

  for (const block of document.querySelectorAll('pre')) addCopyButton(block);
}
