import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { NETWORK_IDS, NETWORKS } from '../../src/networks/networks.ts';
import { KNOWN_VARIABLES } from '../../src/platform/config/config.ts';
import { SECRET_VARIABLES } from '../../src/platform/config/secret-files.ts';

describe('the networks', () => {
  it('are data: one file each, of one value without code, and each is in the table', async () => {
    const found = new Map<string, unknown>();
    for (const folder of ['evm', 'other'])
      for (const file of await readdir(
        fileURLToPath(new URL(`../../src/networks/${folder}`, import.meta.url)),
      )) {
        const exported = (await import(`../../src/networks/${folder}/${file}`)) as Record<string, unknown>;
        const name = file.replace('.ts', '');
        expect(Object.keys(exported), file).to.deep.equal([name]);
        expect(JSON.parse(JSON.stringify(exported[name])), file).to.deep.equal(exported[name]);
        found.set(name, exported[name]);
      }
    expect(Object.fromEntries(found)).to.deep.equal(NETWORKS);
  });

  it('have variables of their own where a watcher reads them, of which URLs are secrets', () => {
    const variables: readonly string[] = KNOWN_VARIABLES;
    const secrets: readonly string[] = SECRET_VARIABLES;
    for (const id of NETWORK_IDS) {
      const isEvm = NETWORKS[id].chainId !== null;
      const has = (kind: string) => variables.includes(`${kind}_${id.toUpperCase()}`);
      for (const kind of ['RPC_URLS', 'RPC_TRACES']) expect(has(kind), `${kind} of ${id}`).to.equal(isEvm);
      for (const kind of ['RPC_QUORUM_USD', 'CONFIRMATIONS'])
        expect(has(kind), `${kind} of ${id}`).to.equal(isEvm || id === 'bitcoin');
      expect(secrets.includes(`RPC_URLS_${id.toUpperCase()}`), id).to.equal(isEvm);
    }
    expect(secrets).to.include('BITCOIN_RPC_URL');
  });

  it('have chain ids that no other has, and names of their own', () => {
    const all = NETWORK_IDS.map((id) => NETWORKS[id]);
    const ids = all.flatMap(({ chainId, testChainId }) => (chainId === null ? [] : [chainId, testChainId]));
    const others = [all.map(({ name }) => name), all.map(({ coinType }) => String(coinType))];
    for (const values of [ids.map(String), ...others]) expect(new Set(values).size).to.equal(values.length);
  });
});
