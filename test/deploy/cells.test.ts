import { expect } from 'chai';
import { parseCells } from '../../src/platform/cells/file.ts';
import { renderEnvoy } from '../../src/processes/setup/cells/render/envoy.ts';
import { renderHaproxy } from '../../src/processes/setup/cells/render/haproxy.ts';
import { renderNginx } from '../../src/processes/setup/cells/render/nginx.ts';
import { awayPage } from '../../src/processes/setup/cells/render/routing.ts';
import { read } from '../support/documents.ts';

const FOLDER = '/etc/payment-checkout/cells';
const cells = parseCells(read('deploy/cells/cells.json'), `${FOLDER}/cells.json`);
const routing = { ...cells, folder: FOLDER, keysAndTokens: new Map<string, string>() };

describe('deploy/cells/rendered', () => {
  // By cells render --file deploy/cells/cells.json --out deploy/cells/rendered, --at this folder.
  for (const [name, render] of [
    ['haproxy.cfg', renderHaproxy],
    ['nginx.conf', renderNginx],
  ] as const)
    it(`${name} is what the example becomes`, () => {
      expect(read(`deploy/cells/rendered/${name}`)).to.equal(render(routing)[name]);
    });

  it('envoy.json is what the example becomes', () => {
    const rendered = JSON.parse(renderEnvoy(routing)['envoy.json'] ?? '') as object;
    expect(JSON.parse(read('deploy/cells/rendered/envoy.json'))).to.deep.equal(rendered);
  });

  it('a page that says 503 has a policy that lets its own style and script run', () => {
    const page = awayPage();
    const [, policy = ''] = /<meta http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page) ?? [];
    expect(policy).to.match(/^default-src 'none'; style-src 'sha256-.*script-src 'sha256-/);
    expect(page.indexOf(policy)).to.be.below(page.indexOf('<style'));
  });
});
