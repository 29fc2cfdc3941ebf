import { COMMON_PASSWORDS } from './common.ts';

export const LEAST_PASSWORD_LENGTH = 12;
/** A sentence fits; hashing takes no longer for it. */
export const MOST_PASSWORD_LENGTH = 256;

export type PasswordFault = 'tooShort' | 'tooLong' | 'tooCommon';

/** What is wrong with a new password; null: nothing. There are no other rules: length is what counts. */
export function passwordFault(password: string): PasswordFault | null {
  const length = [...password].length;
  if (length < LEAST_PASSWORD_LENGTH) return 'tooShort';
  if (length > MOST_PASSWORD_LENGTH) return 'tooLong';
  return isCommon(password.normalize('NFKC').toLowerCase()) ? 'tooCommon' : null;
}

/** In the list, or a shorter text of it again and again. */
function isCommon(password: string): boolean {
  if (COMMON_PASSWORDS.has(password)) return true;
  const again = /^(.{1,8}?)\1+$/su.exec(password);
  return again !== null;
}
