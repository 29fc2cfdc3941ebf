import { eachShop } from '../support/each-shop.ts';
import { useEvmStand } from '../support/evm-stand.ts';
import { BEGIN } from '../support/harness.ts';
import { KilledSigner } from './killed-signer.ts';
import { build, endAll } from './service.ts';

/** How often it is killed at each place: 100 times by `npm run test:signer`. */
const ROUNDS = Number(process.env.SIGNER_ROUNDS ?? 1);
/** Behind what is sent: it looks again. */
const MORE = 4;

describe('the process of the signer', function () {
  this.timeout(ROUNDS * 600_000);
  const standOf = useEvmStand(BEGIN);
  let signer: KilledSigner;
  before(build);
  eachShop(async ({ harness, shop }) => {
    signer = await KilledSigner.open(standOf(), harness, shop);
  });
  afterEach(async () => {
    await endAll();
    await signer.close();
  });

  it(`pays once, wherever it is killed: ${ROUNDS} rounds at each place`, async () => {
    const places = (await signer.countPlaces()) + MORE;
    for (let round = 0; round < ROUNDS; round += 1)
      for (let place = 1; place <= places; place += 1)
        for (const when of ['before', 'after'] as const) await signer.payKilledAt(place, when);
    console.log(`      killed ${ROUNDS} times before and after each of ${places} statements and calls`);
  });

  it('pays once where it is killed while it begins again after a kill, again and again', async () => {
    await signer.payKilledAtEach(Array.from({ length: 13 }, (_, i) => 3 + 3 * i));
  });
});
