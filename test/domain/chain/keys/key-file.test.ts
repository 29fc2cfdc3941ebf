import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openKeyFile, readPrivateFile, signingKey } from '../../../../src/domain/chain/keys/key-file.ts';
import { signTransaction } from '../../../../src/domain/chain/keys/sign.ts';
import { proveSender, readTransaction } from '../../../../src/domain/chain/evm/proofs/transactions.ts';
import { decode } from '../../../../src/domain/chain/evm/proofs/rlp.ts';
import { keyFile, knownKey, PASSPHRASE, privateFile } from '../../../support/key-file.ts';

/** The first account of anvil. */
const ADDRESS = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';

describe('a key file', () => {
  const open = async (content: object | string, passphrase = PASSPHRASE) =>
    openKeyFile(
      await privateFile(typeof content === 'string' ? content : JSON.stringify(content)),
      passphrase,
    );
  const fault = async (content: object | string, passphrase?: string): Promise<string> => {
    try {
      await open(content, passphrase);
      return 'it was opened';
    } catch (error) {
      expect(error).to.be.instanceOf(RangeError);
      return (error as Error).message;
    }
  };

  it('is opened by its passphrase alone, and has the address of its key', async () => {
    const file = keyFile(knownKey(0));
    expect((await open(file)).address).to.equal(ADDRESS);
    expect((await open({ ...file, address: ADDRESS.slice(2).toUpperCase() })).address).to.equal(ADDRESS);
    expect(await fault(file, `${PASSPHRASE} `)).to.include('The passphrase does not open the key file');
    expect(await fault({ ...file, address: 'ab'.repeat(20) })).to.include('names another address');
  });

  it('is refused where others than its owner can read or write it, and so is a passphrase', async () => {
    const path = await privateFile(JSON.stringify(keyFile(knownKey(0))));
    for (const mode of [0o640, 0o604, 0o620, 0o644, 0o610]) {
      await chmod(path, mode);
      const opened = await openKeyFile(path, PASSPHRASE).then(
        () => 'it was opened',
        (error: Error) => error.message,
      );
      expect(opened).to.equal(
        `The key file can be read or written by others than its owner, mode ${mode.toString(8)}: chmod 600`,
      );
    }
    await chmod(path, 0o400);
    expect((await openKeyFile(path, PASSPHRASE)).address).to.equal(ADDRESS);
    const read = readPrivateFile(await privateFile('secret', 0o644), 'The passphrase file');
    expect(await read.catch((error: Error) => error.message)).to.include('The passphrase file can be read');
  });

  it('is read from a pipe as well, up to the size of any', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'key-')), 'pipe');
    execFileSync('mkfifo', ['-m', '600', path]);
    const read = async (content: string) => {
      const [, answer] = await Promise.all([
        writeFile(path, content).catch(() => undefined),
        readPrivateFile(path, 'The passphrase file').catch((error: Error) => error.message),
      ]);
      return answer;
    };
    expect(await read(PASSPHRASE)).to.equal(PASSPHRASE);
    expect(await read('x'.repeat(100_000))).to.equal('The passphrase file is too large to be one');
  });

  it('of another form is refused, and nothing of it is shown', async () => {
    const file = keyFile(knownKey(0));
    const crypto = file.crypto as Record<string, unknown>;
    const kdfparams = crypto.kdfparams as Record<string, unknown>;
    const withKdf = (more: object) => ({
      ...file,
      crypto: { ...crypto, kdfparams: { ...kdfparams, ...more } },
    });
    const secret = Buffer.from(knownKey(0)).toString('hex');
    for (const [content, said] of [
      [secret, 'no JSON'],
      [`{"key": "${secret}`, 'no JSON'],
      ['null', 'lacks a part'],
      [{ ...file, version: 1 }, 'no Web3 Secret Storage'],
      [{ ...file, crypto: { ...crypto, kdf: 'pbkdf2' } }, 'no Web3 Secret Storage'],
      [withKdf({ n: 2 ** 30 }), 'more of scrypt than is sensible'],
      [withKdf({ n: 5_000 }), 'more of scrypt than is sensible'],
      [withKdf({ n: 2 }), 'or for less'],
      [{ ...file, crypto: { ...crypto, ciphertext: secret.slice(2) } }, 'the wrong length'],
      ['x'.repeat(20_000), 'too large'],
    ] as const) {
      const message = await fault(content);
      expect(message).to.include(said);
      expect(message).to.not.include(secret.slice(0, 8));
    }
  });
});

describe('a signed creation', () => {
  it('has the bytes that its hash covers, and the address of its key', async () => {
    const key = signingKey(knownKey(0));
    const creation = {
      chainId: 1,
      nonce: 0,
      maxPriorityFeePerGas: 1n,
      maxFeePerGas: 100n,
      gas: 60_000n,
      to: Buffer.alloc(0),
      value: 0n,
      input: Buffer.from('00', 'hex'),
    };
    const { raw, hash } = await signTransaction(key, creation);
    expect(await signTransaction(key, creation)).to.deep.equal({ raw, hash });
    expect(raw[0]).to.equal(2);
    const items = decode(raw.subarray(1)) as readonly Uint8Array[];
    const [parity, r, s] = items.slice(9).map((item) => `0x${Buffer.from(item).toString('hex') || '0'}`);
    const sent = {
      type: '0x2',
      hash,
      from: key.address,
      nonce: '0x0',
      to: null,
      value: '0x0',
      input: '0x00',
      chainId: '0x1',
      maxPriorityFeePerGas: '0x1',
      maxFeePerGas: '0x64',
      gas: '0xea60',
      accessList: [],
      yParity: parity,
      r,
      s,
    };
    expect(() => proveSender(readTransaction(sent))).to.not.throw();
    expect(() => proveSender(readTransaction({ ...sent, nonce: '0x1' }))).to.throw('was not signed by');
  });
});
