import { expect } from 'chai';
import { ENGINES } from '../support/engines.ts';
import { textOf } from '../support/docs-pages.ts';
import { read } from '../support/documents.ts';
import { endAll } from './service.ts';
import { createStand, type Stand } from './stand.ts';

describe('the documentation of the build', function () {
  this.timeout(90_000);
  let stand: Stand;
  before(async () => {
    stand = await createStand((await ENGINES[0]?.env()) ?? {});
  });
  afterEach(endAll);
  after(() => stand.close());

  it('is served by web in production: a guide, its samples, and what the code knows', async () => {
    const web = await stand.startWeb();
    const page = async (path: string) => {
      const response = await web.api('GET', path);
      expect(response.status, path).to.equal(200);
      return response.text();
    };
    expect(textOf(await page('/docs/accept-a-payment'))).to.include(
      read('docs/samples/go/create-payment.go'),
    );
    expect(await page('/docs/states'))
      .to.include('<svg')
      .and.include('transfer_seen');
    expect(await page('/docs/reference/payments')).to.include('id="createPayment"');
    await page('/docs/use-the-client');
    await page('/docs/payment-checkout.tgz');
  });

  it('is in the image with the SDK that it offers, which the image builds', () => {
    expect(read('Dockerfile')).to.include('npm run build:sdk').and.include('/app/dist-sdk ./dist-sdk');
    for (const file of ['build-sdk.mjs', 'tsconfig.sdk.json'])
      expect(read('.dockerignore').split('\n')).to.include(`!${file}`);
  });

  it('is rendered by the image from what is copied, and not ignored', () => {
    for (const folder of ['docs/guides', 'docs/samples', 'docs/how-to/use-the-*.md', 'docs-site', 'assets']) {
      const target = folder.replace(/[^/]*\*.*/, '');
      expect(read('Dockerfile')).to.include(`\nCOPY ${folder} ./${target}\n`);
      expect(read('.dockerignore').split('\n')).to.include(`!${folder}`);
    }
  });
});
