const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Scripts whose letters stand apart: of others one letter is enough, and two would join. */
const APART = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}]/u;
/** What a person sees as one may hold any number of marks; a family of emoji has seven code points. */
const MAX_CODE_POINTS = 8;

/**
 * What stands for a merchant without a logo: the first letters of two words, one letter of a script that
 * joins them, and one sign of a name without any letter.
 */
export function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}][^\s]*/gu) ?? [];
  const [first = '', second = ''] = words.map(firstOf);
  if (first === '') return firstOf(/[\p{Extended_Pictographic}\p{P}\p{S}].*/u.exec(name)?.[0] ?? '');
  return APART.test(first) && APART.test(second) ? first + second : first;
}

function firstOf(text: string): string {
  const [grapheme] = GRAPHEMES.segment(text);
  return [...(grapheme?.segment ?? '')].slice(0, MAX_CODE_POINTS).join('').toUpperCase();
}
