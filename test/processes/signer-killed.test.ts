import { eachShop } from '../support/each-shop.ts';
import { useEvmStand } from '../support/evm-stand.ts';
import { BEGIN } from '../support/harness.ts';
import { killEach, KilledSigner } from './killed-signer.ts';
import { build, endAll } from './service.ts';

describe('a signer that is killed', function () {
  this.timeout(120_000);
  const standOf = useEvmStand(BEGIN);
  let signer: KilledSigner;
  before(build);
  eachShop(async ({ harness, shop }) => {
    signer = await KilledSigner.open(standOf(), harness, shop, 'file');
  });
  afterEach(async () => {
    await endAll();
    await signer.close();
  });

  // Each place: signer.slow.test.ts.
  it('pays once: before the last statements, and after what it sends', async () => {
    const places = await signer.countPlaces();
    for (const [back, when] of [
      [4, 'after'],
      [2, 'before'],
      [1, 'after'],
      [0, 'after'],
    ] as const)
      await killEach(standOf(), [[signer, [places - back, when]]], (one, kill) => one.pay(kill));
  });
});
