import { expect } from 'chai';
import { CHAINS } from '../../../../src/domain/chain/bitcoin/options.ts';
import { addressOf, scriptOf } from '../../../../src/domain/chain/bitcoin/scripts.ts';
import { ADDRESSES, scriptOf as scriptInTests } from '../../../support/bitcoin-blocks.ts';

describe('the script of an address of Bitcoin', () => {
  for (const [form, newAddress] of Object.entries(ADDRESSES))
    it(`of ${form} pays that address, as others write it`, () => {
      const address = newAddress();
      const script = scriptOf(address, CHAINS.regtest);
      expect(script).to.deep.equal(scriptInTests(address));
      expect(addressOf(script, CHAINS.regtest)).to.equal(address);
    });

  it('is the same in capital letters, and of the main chain', () => {
    const address = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
    expect(scriptOf(address.toUpperCase(), CHAINS.main)).to.deep.equal(scriptOf(address, CHAINS.main));
    expect(scriptOf(address, CHAINS.main).toString('hex')).to.equal(
      '0014751e76e8199196d454941c45d1b3a323f1433bd6',
    );
    expect(scriptOf('1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', CHAINS.main).toString('hex')).to.equal(
      '76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac',
    );
    expect(scriptOf('3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', CHAINS.main).toString('hex')).to.equal(
      'a914b472a266d0bd89c13706a4132ccfb16f7c3b9fcb87',
    );
  });
});
