import { expect } from 'chai';
import { eachShop } from '../support/each-shop.ts';
import { useEvmStand } from '../support/evm-stand.ts';
import { BEGIN } from '../support/harness.ts';
import { finishAll, killEach, KilledSigner, type Kill } from './killed-signer.ts';
import { build, endAll } from './service.ts';

/** How often it is killed at each place: 100 times by `npm run test:signer`. */
const ROUNDS = Number(process.env.SIGNER_ROUNDS ?? 1);
/** Behind the call that sends: it looks whether it has, and looks at everything again. */
const MORE = 6;
/** Killed side by side, each with a key, a journal and a database of its own, all on one node. */
const SIGNERS = 4;

for (const keyIn of ['file', 'kms'] as const)
  describe(`the process of the signer, with its key in ${keyIn === 'kms' ? 'AWS KMS' : 'a file'}`, function () {
    this.timeout(ROUNDS * 600_000);
    const standOf = useEvmStand(BEGIN);
    const signers: KilledSigner[] = [];
    const first = (): KilledSigner => {
      const [one] = signers;
      if (one === undefined) throw new Error('no signer is open');
      return one;
    };
    before(build);
    for (let i = 0; i < SIGNERS; i += 1)
      eachShop(async ({ harness, shop }) => {
        signers.push(await KilledSigner.open(standOf(), harness, shop, keyIn));
      });
    afterEach(async () => {
      await endAll();
      for (const signer of signers.splice(0)) await signer.close();
    });

    /** Kills signers in each round before and after each of the places. */
    const killAtEach = async (
      places: readonly number[],
      act: (signer: KilledSigner, kill: Kill) => Promise<unknown>,
    ) => {
      const startedAt = performance.now();
      const round = places.flatMap((place): Kill[] => [
        [place, 'before'],
        [place, 'after'],
      ]);
      const left = Array.from({ length: ROUNDS }, () => round).flat();
      const all = left.length;
      for (let some = left.splice(0, SIGNERS); some.length > 0; some = left.splice(0, SIGNERS)) {
        const kills = signers.flatMap((signer, i) => {
          const kill = some[i];
          return kill === undefined ? [] : [[signer, kill] as const];
        });
        await killEach(standOf(), kills, act);
        const done = all - left.length;
        if (done % 1_000 >= SIGNERS && left.length > 0) continue;
        const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
        console.log(`      ${done} kills at ${places.length} statements and calls in ${seconds} s`);
      }
    };
    const upTo = (places: number) => Array.from({ length: places }, (_, i) => i + 1);

    it(`pays once, wherever it is killed: ${ROUNDS} rounds at each place`, async () => {
      const places = (await first().countPlaces()) + MORE;
      // All others are the same for both kinds of keys.
      const own = keyIn === 'kms' ? first().placesOfKms : upTo(places);
      expect(own).to.have.length.above(1);
      await killAtEach(own, (signer, kill) => signer.pay(kill));
    });

    if (keyIn === 'kms') {
      it('pays once where it is killed while it signs again for more gas', async () => {
        const places = (await first().countPlacesOfBump()) + MORE;
        await killAtEach(upTo(places), (signer, kill) => signer.bump(kill));
      });
      return;
    }

    it('pays nothing where it is killed while it cancels what somebody else has paid', async () => {
      const places = (await first().countPlacesOfCancel()) + MORE;
      await killAtEach(upTo(places), (signer, kill) => signer.cancel(kill));
    });

    it('pays once where it is killed while it begins again after a kill, again and again', async () => {
      for (let place = 3; place <= 39; place += 3)
        await first().pay([place, place % 2 === 0 ? 'before' : 'after']);
      await finishAll(standOf(), [first()]);
    });

    it('pays once where it is killed while it registers an account whose journal was lost', async () => {
      let places = 0;
      for (let isKilled = true; isKilled; places += 1) {
        isKilled = await first().register([places + 1, 'before']);
        await finishAll(standOf(), [first()]);
      }
      // One that ends at its start comes to none.
      expect(places).to.be.above(5);
      await killAtEach(upTo(places - 1), (signer, kill) => signer.register(kill));
    });
  });
