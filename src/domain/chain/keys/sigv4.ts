import { createHash, createHmac } from 'node:crypto';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

interface Unsigned {
  readonly url: URL;
  readonly body: string;
  readonly service: string;
  readonly region: string;
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials: AwsCredentials;
  readonly now: Date;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/**
 * Returns the headers of a POST without a query, signed by AWS Signature Version 4: the one form that KMS
 * needs. A library for it would bring all others.
 */
export function signRequest({ url, body, service, region, headers, credentials, now }: Unsigned) {
  const time = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const all: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-date': time,
    ...(sessionToken === null ? {} : { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(all).toSorted();
  const signed = names.join(';');
  const lines = names.map((name) => `${name}:${all[name]?.trim()}\n`).join('');
  const canonical = ['POST', url.pathname, '', lines, signed, sha256(body)].join('\n');
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/${service}/aws4_request`;
  const keyed = [region, service, 'aws4_request'].reduce(hmac, hmac(`AWS4${secretAccessKey}`, day));
  const signature = hmac(keyed, ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n'));
  const credential = `Credential=${accessKeyId}/${scope}, SignedHeaders=${signed}`;
  return {
    ...all,
    authorization: `AWS4-HMAC-SHA256 ${credential}, Signature=${signature.toString('hex')}`,
  };
}
