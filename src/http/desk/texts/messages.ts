/** What stands in the place of a page of the desk. */
export const MESSAGES = {
  nowhere: {
    title: 'There is no such page',
    text: 'The link may be cut, or what it led to may be gone, or be of a shop that you do not belong to.',
  },
  limited: {
    title: 'Too many requests',
    text: 'Wait a minute, and try again. Nothing was changed.',
  },
  badForm: {
    title: 'This form was refused',
    text: 'It did not come from this page, or the page is out of date. Nothing was changed.',
  },
  tooLong: {
    title: 'That was too long',
    text: 'What you entered, or the file, is longer than is allowed. Nothing was changed.',
  },
  error: {
    title: 'Something went wrong',
    text: 'It is not your fault, and it was noted. Look whether what you wanted was done before you try again.',
  },
  maintenance: {
    title: 'Maintenance',
    text: 'The service, or this shop, is under maintenance, and nothing was changed. Try again in a minute.',
  },
  /** Behind the text of a maintenance. */
  reloads: 'This page does so by itself.',
} as const;
