import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { createSecretBox, newWebhookSecret, SecretBoxError } from '../../src/platform/secret-box.ts';

const KEY = randomBytes(32);
const OTHER_KEY = randomBytes(32);
const idOf = (key: Buffer) => createHash('sha256').update(key).digest('hex').slice(0, 8);

describe('webhook secrets', () => {
  it('are whsec_ and 32 random bytes in base64', () => {
    const secret = newWebhookSecret();
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice(6), 'base64')).to.have.length(32);
    expect(newWebhookSecret()).not.to.equal(secret);
  });

  it('decrypt with the key and the merchant that they were encrypted for', () => {
    const box = createSecretBox([KEY]);
    const encrypted = box.encrypt('whsec_é', 'mer_1');
    expect(box.decrypt(encrypted, 'mer_1')).to.equal('whsec_é');
    expect(encrypted.keyId).to.equal(idOf(KEY));
  });

  it('are not readable in the ciphertext, nor equal when encrypted twice', () => {
    const box = createSecretBox([KEY]);
    const encrypted = box.encrypt('whsec_abcdef', 'mer_1');
    expect(encrypted.ciphertext.includes('abcdef')).to.equal(false);
    expect(encrypted.ciphertext).to.have.length(12 + 16 + 12);
    expect(encrypted.ciphertext.equals(box.encrypt('whsec_abcdef', 'mer_1').ciphertext)).to.equal(false);
  });

  it('do not decrypt in a row that was copied to another merchant', () => {
    const box = createSecretBox([KEY]);
    const encrypted = box.encrypt('whsec_abc', 'mer_1');
    expect(() => box.decrypt(encrypted, 'mer_2')).to.throw(SecretBoxError, 'another merchant');
  });

  it('do not decrypt when any byte was altered or truncated', () => {
    const box = createSecretBox([KEY]);
    const { keyId, ciphertext } = box.encrypt('whsec_abc', 'mer_1');
    for (let at = 0; at < ciphertext.length; at += 1) {
      const altered = Buffer.from(ciphertext);
      altered[at] = (altered[at] ?? 0) ^ 1;
      expect(() => box.decrypt({ keyId, ciphertext: altered }, 'mer_1'), `byte ${at}`).to.throw(
        SecretBoxError,
      );
      expect(() => box.decrypt({ keyId, ciphertext: ciphertext.subarray(0, at) }, 'mer_1')).to.throw(
        SecretBoxError,
      );
    }
  });

  it('decrypt after SECRETS_KEY was rotated: the first key encrypts, every key decrypts', () => {
    const before = createSecretBox([KEY]).encrypt('whsec_old', 'mer_1');
    const box = createSecretBox([OTHER_KEY, KEY]);
    expect(box.decrypt(before, 'mer_1')).to.equal('whsec_old');
    expect(box.encrypt('whsec_new', 'mer_1').keyId).to.equal(idOf(OTHER_KEY));
  });

  it('whose key is missing fail with the id of the missing key and no secret', () => {
    const encrypted = createSecretBox([KEY]).encrypt('whsec_abc', 'mer_1');
    const decrypt = () => createSecretBox([OTHER_KEY]).decrypt(encrypted, 'mer_1');
    expect(decrypt).to.throw(SecretBoxError, `lacks the key ${idOf(KEY)}`);
    for (const key of [KEY, OTHER_KEY])
      for (const encoding of ['hex', 'base64'] as const) expect(decrypt).not.to.throw(key.toString(encoding));
  });

  it('need at least one key, and only keys of 32 bytes', () => {
    expect(() => createSecretBox([])).to.throw(SecretBoxError, 'no key');
    expect(() => createSecretBox([KEY, randomBytes(31)])).to.throw(SecretBoxError, '32 bytes');
  });
});
