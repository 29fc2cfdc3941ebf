import { expect } from 'chai';
import { eachShop } from '../support/each-shop.ts';
import { useEvmStand } from '../support/evm-stand.ts';
import { BEGIN } from '../support/harness.ts';
import { KilledSigner, type When } from './killed-signer.ts';
import { build, endAll } from './service.ts';

/** How often it is killed at each place: 100 times by `npm run test:signer`. */
const ROUNDS = Number(process.env.SIGNER_ROUNDS ?? 1);
/** Behind what is sent: it looks again. */
const MORE = 4;

for (const keyIn of ['file', 'kms'] as const)
  describe(`the process of the signer, with its key in ${keyIn === 'kms' ? 'AWS KMS' : 'a file'}`, function () {
    this.timeout(ROUNDS * 600_000);
    const standOf = useEvmStand(BEGIN);
    let signer: KilledSigner;
    before(build);
    eachShop(async ({ harness, shop }) => {
      signer = await KilledSigner.open(standOf(), harness, shop, keyIn);
    });
    afterEach(async () => {
      await endAll();
      await signer.close();
    });

    /** Kills it in each round before and after each of the places. */
    const killAtEach = async (
      places: readonly number[],
      kill: (place: number, when: When) => Promise<unknown>,
    ) => {
      for (let round = 0; round < ROUNDS; round += 1)
        for (const place of places) for (const when of ['before', 'after'] as const) await kill(place, when);
      console.log(
        `      killed ${ROUNDS} times before and after each of ${places.length} statements and calls`,
      );
    };
    const upTo = (places: number) => Array.from({ length: places }, (_, i) => i + 1);

    it(`pays once, wherever it is killed: ${ROUNDS} rounds at each place`, async () => {
      const places = (await signer.countPlaces()) + MORE;
      // All others are the same for both kinds of keys.
      const own = keyIn === 'kms' ? signer.placesOfKms : upTo(places);
      expect(own).to.have.length.above(1);
      await killAtEach(own, (place, when) => signer.payKilledAt(place, when));
    });

    if (keyIn === 'kms') {
      it('pays once where it is killed while it signs again for more gas', async () => {
        const places = await signer.countPlacesOfBump();
        await killAtEach(upTo(places), (place, when) => signer.bumpKilledAt(place, when));
      });
      return;
    }

    it('pays once where it is killed while it begins again after a kill, again and again', async () => {
      await signer.payKilledAtEach(Array.from({ length: 13 }, (_, i) => 3 + 3 * i));
    });

    it('pays once where it is killed while it registers an account whose journal was lost', async () => {
      let places = 0;
      while (await signer.registerKilledAt(places + 1, 'before')) places += 1;
      await killAtEach(upTo(places), (place, when) => signer.registerKilledAt(place, when));
    });
  });
