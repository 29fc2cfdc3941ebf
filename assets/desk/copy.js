// Copying: a button copies a field's value. Without the script it is not there, and the field can be selected.
{
  for (const button of document.querySelectorAll('button[data-copies]')) {
    if (!(button instanceof HTMLButtonElement)) continue;
    const field = document.getElementById(button.dataset.copies ?? '');
    if (!(field instanceof HTMLInputElement)) continue;
    button.hidden = false;
    button.addEventListener('click', () => {
      field.select();
      navigator.clipboard.writeText(field.value).then(
        () => {
          button.textContent = button.dataset.copied ?? '';
        },
        // The value is selected: the keyboard copies it.
        () => undefined,
      );
    });
  }
}
