import { createHash, createHmac, randomBytes } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { expect } from 'chai';
import { openKmsKey } from '../../../../src/domain/chain/keys/aws-kms.ts';
import { signingKey } from '../../../../src/domain/chain/keys/key-file.ts';
import { signTransaction } from '../../../../src/domain/chain/keys/sign.ts';
import { signRequest } from '../../../../src/domain/chain/keys/sigv4.ts';
import { knownKey, privateFile } from '../../../support/key-file.ts';
import { startReceiver, type Receiver } from '../../../support/receivers.ts';

const CREDENTIALS = { AccessKeyId: 'AKIDEXAMPLE', SecretAccessKey: 'secret/KEY', SessionToken: 'token' };
const SPKI = '3056301006072a8648ce3d020106052b8104000a034200';
const ORDER = secp256k1.Point.Fn.ORDER;

/** Derives the signature of a request anew, from what arrived, as AWS describes it. */
function signatureOf(headers: Readonly<Record<string, unknown>>, body: string, secret: string): string {
  const { authorization, 'x-amz-date': date } = headers;
  const [, scope = '', names = ''] =
    /Credential=\w+\/([^,]+), SignedHeaders=([^,]+),/.exec(String(authorization)) ?? [];
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const lines = names.split(';').map((name) => `${name}:${String(headers[name])}`);
  const canonical = `POST\n/\n\n${lines.join('\n')}\n\n${names}\n${hash(body)}`;
  let key: Buffer = Buffer.from(`AWS4${secret}`);
  for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest();
  const text = `AWS4-HMAC-SHA256\n${String(date)}\n${scope}\n${hash(canonical)}`;
  return createHmac('sha256', key).update(text).digest('hex');
}

describe('a key in AWS KMS', () => {
  let kms: Receiver;
  /** What it answers to Sign, beside what is right. */
  let change: ((signature: { r: bigint; s: bigint }) => Uint8Array) | null;
  let isHigh: boolean;
  let spki: string;
  let refusals: number;
  const secret = knownKey(3);
  const own = signingKey(secret);

  beforeEach(async () => {
    [change, isHigh, refusals] = [null, false, 0];
    spki = `${SPKI}${Buffer.from(secp256k1.getPublicKey(secret, false)).toString('hex')}`;
    kms = await startReceiver({
      answer({ headers, rawBody }) {
        const body = rawBody.toString();
        const expected = signatureOf(headers, body, CREDENTIALS.SecretAccessKey);
        const isRight =
          String(headers.authorization).endsWith(`Signature=${expected}`) &&
          headers['x-amz-security-token'] === CREDENTIALS.SessionToken &&
          /\/kms\/aws4_request,.*SignedHeaders=[^,]*host/.test(String(headers.authorization));
        if (!isRight) {
          refusals += 1;
          return {
            status: 400,
            body: JSON.stringify({ __type: 'InvalidSignatureException', message: body }),
          };
        }
        return {
          headers: { 'Content-Type': 'application/x-amz-json-1.1' },
          body: JSON.stringify(serve(headers, body)),
        };
      },
    });
  });
  afterEach(() => kms.close());

  function serve(headers: Readonly<Record<string, unknown>>, body: string): object {
    const asked = JSON.parse(body) as Record<string, string>;
    expect(asked.KeyId).to.equal('alias/refunds');
    if (headers['x-amz-target'] === 'TrentService.GetPublicKey')
      return { PublicKey: Buffer.from(spki, 'hex').toString('base64') };
    expect(headers['x-amz-target']).to.equal('TrentService.Sign');
    expect([asked.MessageType, asked.SigningAlgorithm]).to.deep.equal(['DIGEST', 'ECDSA_SHA_256']);
    const digest = Buffer.from(asked.Message ?? '', 'base64');
    const signed = secp256k1.sign(digest, secret, { prehash: false, format: 'compact' });
    const { r, s } = secp256k1.Signature.fromBytes(signed, 'compact');
    // KMS knows nothing of lower ones.
    const sent = { r, s: isHigh ? ORDER - s : s };
    const der = change === null ? new secp256k1.Signature(sent.r, sent.s).toBytes('der') : change(sent);
    return { Signature: Buffer.from(der).toString('base64') };
  }

  const open = async (credentials: object = CREDENTIALS, endpoint = `http://127.0.0.1:${kms.port}/`) => {
    const credentialsFile = await privateFile(JSON.stringify(credentials));
    return openKmsKey({
      keyId: 'alias/refunds',
      region: 'eu-west-1',
      credentialsFile,
      endpoint,
    });
  };
  const faultOf = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: Error) => error.message,
    );

  it('has the address of its public key, and signs as the key itself', async () => {
    const key = await open();
    expect(key.address).to.equal(own.address);
    for (const high of [false, true])
      for (let i = 0; i < 8; i += 1) {
        isHigh = high;
        const digest = randomBytes(32);
        expect(await key.sign(digest)).to.deep.equal(await own.sign(digest));
      }
    const fees = { maxFeePerGas: 9n, maxPriorityFeePerGas: 1n, gas: 21_000n, value: 7n };
    const transaction = { chainId: 1, nonce: 4, ...fees, to: Buffer.alloc(20, 1), input: Buffer.alloc(0) };
    expect(await signTransaction(key, transaction)).to.deep.equal(await signTransaction(own, transaction));
    expect(refusals).to.equal(0);
  });

  it('is not believed where it signs with another key', async () => {
    const key = await open();
    change = () => secp256k1.sign(randomBytes(32), knownKey(4), { prehash: false, format: 'der' });
    expect(await faultOf(key.sign(randomBytes(32)))).to.match(/signature of another key/);
  });

  it('is refused where it is of another curve', async () => {
    spki = spki.replace('2b8104000a', '2b81040022');
    expect(await faultOf(open())).to.equal('The key of AWS KMS is not of ECC_SECG_P256K1');
  });

  it('says that AWS KMS cannot be reached', async () => {
    const fault = await faultOf(open(CREDENTIALS, 'http://127.0.0.1:1/'));
    expect(fault).to.equal('AWS KMS could not be asked for GetPublicKey (ECONNREFUSED)');
  });

  it('is not believed where it sends anything else than a signature, nor one of another digest', async () => {
    const key = await open();
    const digest = randomBytes(32);
    const other = secp256k1.sign(randomBytes(32), secret, { prehash: false, format: 'der' });
    for (const sent of [Buffer.alloc(0), Buffer.from('3006020100020100', 'hex'), randomBytes(70), other]) {
      change = () => sent;
      expect(await faultOf(key.sign(digest))).to.not.equal('none');
    }
  });

  it('is not opened with wrong credentials, and shows none of them', async () => {
    const said = await faultOf(open({ ...CREDENTIALS, SecretAccessKey: 'hunter2' }));
    expect(said).to.equal('AWS KMS answered GetPublicKey with 400 InvalidSignatureException');
    expect(await faultOf(open({ AccessKeyId: 'hunter2' }))).to.match(/no JSON with AccessKeyId/);
  });
});

describe('a request that is signed for AWS', () => {
  it('has the signature of the test vector post-vanilla', () => {
    const { authorization } = signRequest({
      url: new URL('https://example.amazonaws.com/'),
      body: '',
      service: 'service',
      region: 'us-east-1',
      headers: {},
      credentials: {
        accessKeyId: 'AKIDEXAMPLE',
        secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
        sessionToken: null,
      },
      now: new Date('2015-08-30T12:36:00Z'),
    });
    expect(authorization).to.match(
      /SignedHeaders=host;x-amz-date, Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b$/,
    );
  });
});
