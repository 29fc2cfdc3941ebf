import { expect } from 'chai';
import sharp from 'sharp';
import supertest from 'supertest';
import { createHarness, type Harness } from '../../support/harness.ts';
import { expectError } from '../../support/http.ts';
import { animated, animatedPng, bomb, claiming, interlaced, logo, photo } from '../../support/images.ts';

const PATH = '/v1/checkout/logo';
const MAX_BYTES = 6_000;

describe('the logo of the checkout', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(() => harness.close());

  const upload = (bytes: Buffer, type: string, key?: string) =>
    harness.api('put', PATH, key).set('Content-Type', type).send(bytes);
  const served = async (url: string) => {
    const { pathname } = new URL(url);
    const answer = await supertest(harness.app)
      .get(pathname)
      .buffer(true)
      .parse((response, done) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => done(null, Buffer.concat(chunks)));
      });
    return { answer, bytes: answer.body as Buffer, pathname };
  };

  it('is encoded again, small, and served at an address that every copy of it can keep', async () => {
    const { apiKey } = await harness.addMerchant();
    const { status, body } = await upload(await logo(), 'image/png', apiKey);
    expect(status).to.equal(200);
    expect(body.logo).to.include({ width: 160, height: 107 });
    const { answer, bytes, pathname } = await served(body.logo.url as string);
    expect(answer.status).to.equal(200);
    expect(pathname).to.match(/^\/checkout\/logos\/[0-9a-f]{32}\.webp$/);
    expect(answer.headers).to.include({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    const { format, width, height, hasAlpha } = await sharp(bytes).metadata();
    expect([format, width, height, hasAlpha]).to.deep.equal(['webp', 160, 107, true]);
    await supertest(harness.app)
      .get(pathname)
      .set('If-None-Match', answer.headers.etag ?? '')
      .expect(304);
  });

  it('is at most 6 kB, whatever was sent, and without its metadata', async () => {
    for (const side of [20, 160, 250]) {
      const sent = await photo(side);
      expect(sent.includes('A Secret Person')).to.equal(true);
      const { body } = await upload(sent, 'image/jpeg').expect(200);
      const { bytes } = await served(body.logo.url as string);
      expect(bytes.length).to.be.within(20, MAX_BYTES);
      const { exif, icc, xmp, width } = await sharp(bytes).metadata();
      expect([exif, icc, xmp]).to.deep.equal([undefined, undefined, undefined]);
      expect(bytes.includes('Secret')).to.equal(false);
      expect(width).to.be.within(Math.min(side, 64), 160);
    }
  });

  it('stands upright, as the camera held it', async () => {
    const lying = await sharp({ create: { width: 80, height: 40, channels: 3, background: '#123456' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const { body } = await upload(lying, 'image/jpeg').expect(200);
    expect(body.logo).to.include({ width: 40, height: 80 });
  });

  it('keeps the other choices, and goes alone', async () => {
    const { apiKey } = await harness.addMerchant();
    await harness.api('put', '/v1/checkout/appearance', apiKey).send({ name: 'Shop & Sons' });
    const first = (await upload(await logo(), 'image/png', apiKey)).body;
    expect(first.name).to.equal('Shop & Sons');
    const kept = await harness.api('put', '/v1/checkout/appearance', apiKey).send({ name: 'Other' });
    expect(kept.body.logo).to.deep.equal(first.logo);
    const second = (await upload(await logo(90, 90, '#00f'), 'image/png', apiKey)).body;
    expect(second.logo.url).to.not.equal(first.logo.url);
    expect((await served(first.logo.url as string)).answer.status).to.equal(404);
    const gone = await harness.api('delete', PATH, apiKey);
    expect([gone.status, gone.body.logo, gone.body.name]).to.deep.equal([200, null, 'Other']);
    const { answer } = await served(second.logo.url as string);
    expect([answer.status, answer.headers['cache-control']]).to.deep.equal([404, 'no-store']);
    await harness.api('delete', PATH, apiKey).expect(200);
  });

  it('of one merchant stays when another removes the same', async () => {
    const [one, other] = [await harness.addMerchant(), await harness.addMerchant()];
    const image = await logo();
    const urls = [];
    for (const { apiKey } of [one, other])
      urls.push((await upload(image, 'image/png', apiKey)).body.logo.url as string);
    await harness.api('delete', PATH, one.apiKey).expect(200);
    const statuses = await Promise.all(urls.map(async (url) => (await served(url)).answer.status));
    expect(statuses).to.deep.equal([404, 200]);
  });

  const ATTACKS: Record<string, () => Promise<[Buffer, string]> | [Buffer, string]> = {
    'an SVG that is called a PNG': () => [
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      'image/png',
    ],
    'a GIF that is called a WebP': async () => [await animated('gif'), 'image/webp'],
    'a PNG that is called a JPEG': async () => [await logo(), 'image/jpeg'],
    'an animated WebP': async () => [await animated('webp'), 'image/webp'],
    'an animated PNG': async () => [await animatedPng(), 'image/png'],
    'a PNG that is cut off': async () => [(await logo()).subarray(0, 300), 'image/png'],
    'a JPEG that is cut off': async () => [(await photo(160)).subarray(0, 4000), 'image/jpeg'],
    'a PNG with nothing but its signature': async () => [(await logo()).subarray(0, 8), 'image/png'],
    'a WebP of nothing': () => [Buffer.from('RIFF\0\0\0\0WEBP'), 'image/webp'],
    'a PNG with less than it claims': async () => [await claiming(2000, 2000), 'image/png'],
  };
  for (const [name, attack] of Object.entries(ATTACKS))
    it(`is not ${name}: 400, and the logo stays`, async () => {
      const { apiKey } = await harness.addMerchant();
      const { body } = await upload(await logo(), 'image/png', apiKey);
      const [bytes, type] = await attack();
      const details = { field: 'body', constraint: 'format' };
      expectError(harness, await upload(bytes, type, apiKey), 400, details);
      const after = await harness.api('get', '/v1/checkout/appearance', apiKey);
      expect(after.body.logo).to.deep.equal(body.logo);
    });

  it('is no bomb of a billion pixels, real or claimed: refused before it is decoded', async () => {
    for (const [side, bytes] of [
      [28_000, bomb(28_000)],
      [30_000, await claiming(30_000, 30_000)],
    ] as const) {
      expect(bytes.length).to.be.below(100_000);
      const answer = await upload(bytes, 'image/png');
      expectError(harness, answer, 400, { field: 'body', constraint: 'maximum' });
      expect(answer.body.message).to.include(`${side}x${side}`).and.include('4194304');
    }
  });

  it('is decoded in its turn: of more at once than may wait, some are refused with a time to wait', async () => {
    const { apiKey } = await harness.addMerchant();
    const bytes = interlaced(1024);
    const answers = await Promise.all(Array.from({ length: 8 }, () => upload(bytes, 'image/png', apiKey)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(answers.length - refused.length).to.be.within(5, 7);
    for (const answer of refused) {
      expectError(harness, answer, 429);
      expect(Number(answer.headers['retry-after'])).to.be.within(1, 60);
    }
  });

  it('loses the second file behind the image', async () => {
    const polyglot = Buffer.concat([await logo(), Buffer.from('<script>alert(1)</script>PK\x05\x06')]);
    const { body } = await upload(polyglot, 'image/png').expect(200);
    const { bytes } = await served(body.logo.url as string);
    expect(bytes.includes('script')).to.equal(false);
    expect(bytes.readUInt32LE(4) + 8, 'nothing behind the image').to.equal(bytes.length);
  });

  it('is refused with 415 for another type, 413 above 100 kB, and 400 without a body', async () => {
    for (const type of ['image/svg+xml', 'image/gif', 'application/json', 'text/html'])
      expectError(harness, await upload(Buffer.from('x'), type), 415);
    const { body } = await upload(Buffer.from('x'), 'image/gif');
    expect(body.message).to.include('image/png or image/jpeg or image/webp');
    expectError(harness, await upload(Buffer.alloc(102_401), 'image/png'), 413);
    const nothing = await harness.api('put', PATH).set('Content-Type', 'image/png');
    expectError(harness, nothing, 400, { field: 'body', constraint: 'required' });
  });

  it('has no other methods', async () => {
    const answer = await harness.api('get', PATH);
    expectError(harness, answer, 405);
    expect(answer.headers.allow).to.equal('PUT, DELETE');
  });

  it('is not found under other addresses', async () => {
    for (const name of ['x.webp', `${'0'.repeat(32)}.webp`, `${'0'.repeat(32)}.png`, '%00.webp', "';--.webp"])
      await supertest(harness.app).get(`/checkout/logos/${name}`).expect(404);
  });
});
