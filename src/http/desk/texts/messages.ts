/** What stands in the place of a page of the desk. */
export const MESSAGES = {
  nowhere: {
    title: 'There is no such page',
    text: 'The link may be cut, or what it led to may be gone, or be of a shop that you do not belong to.',
  },
  limited: {
    title: 'That was too often',
    text: 'Wait a minute, and try again. Nothing was changed.',
  },
  badForm: {
    title: 'This form was not taken',
    text: 'It is not one of the page’s own, or was sent in another way than by its button. Nothing was changed.',
  },
  tooLong: {
    title: 'That was too long',
    text: 'What you entered, or the file, is longer than the desk takes. Nothing was changed.',
  },
  error: {
    title: 'Something went wrong',
    text: 'It is not your fault, and it was noted. Look whether what you wanted was done before you try again.',
  },
  maintenance: {
    title: 'Maintenance',
    text: 'The service is being looked after, and nothing can be read or changed now. Try again in a minute.',
  },
} as const;
