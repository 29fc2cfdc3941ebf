import { expect } from 'chai';
import { createSignInLink } from '../../../src/domain/people/factors/links.ts';
import { newChallenge } from '../../../src/domain/people/passkeys/challenges.ts';
import { sweepPeopleOnce } from '../../../src/domain/people/sweep.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { invitePath, joinDesk, openBrowser, PASSWORD } from '../../support/desk.ts';

const NOTHING = { sessions: 0, devices: 0, invitations: 0, challenges: 0, passwordLinks: 0 };
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;

describe('the sweep of what has ended of sign-ins', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
  });
  afterEach(() => harness.close());

  const sweep = () => sweepPeopleOnce(harness.ctx);
  const count = async (table: string) => (await harness.ctx.db(table).select()).length;

  it('takes nothing that is in force, and everything when its time is over', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    await openBrowser(harness).post('/dashboard/sign-in', { email: ann.email, password: PASSWORD });
    await createSignInLink(harness.ctx, ann.id);
    await invitePath(harness, 'bob@shop.example');
    const challenges = await count('passkey_challenges');
    expect(challenges).to.be.above(0);
    const expiresAt = new Date(harness.ctx.now().getTime() + 1_800_000);
    await harness.ctx.db('password_links').insert({ id: 'x', email_folded: 'x@x', expires_at: expiresAt });
    expect(await sweep()).to.deep.equal(NOTHING);
    harness.advance(300);
    expect(await sweep()).to.deep.equal({ ...NOTHING, challenges });
    harness.advance(1_500);
    expect(await sweep(), 'what a password alone began').to.deep.equal({
      ...NOTHING,
      sessions: 1,
      passwordLinks: 1,
    });
    harness.advance(10 * HOUR_SECONDS);
    await ann.get('/dashboard/account');
    harness.advance(11 * HOUR_SECONDS);
    expect(await sweep(), 'a session in use').to.deep.equal(NOTHING);
    harness.advance(3 * HOUR_SECONDS);
    expect(await sweep()).to.deep.equal({ ...NOTHING, sessions: 2, invitations: 1 });
    expect(await count('known_devices')).to.equal(1);
    harness.advance(400 * DAY_SECONDS);
    expect(await sweep()).to.deep.equal({ ...NOTHING, devices: 1 });
    expect(await count('people')).to.equal(1);
  });

  it('is a job that recurs', async () => {
    await newChallenge(harness.ctx, 'sign-in', null);
    harness.advance(2 * HOUR_SECONDS);
    await harness.work();
    expect(await count('passkey_challenges')).to.equal(0);
  });

  it('leaves a row that somebody works on to the next run', async () => {
    await joinDesk(harness, 'ann@shop.example');
    harness.advance(8 * DAY_SECONDS);
    await harness.ctx.db.transaction(async (tx) => {
      await tx('person_sessions').forUpdate().select();
      expect((await sweep()).sessions).to.equal(0);
    });
    expect((await sweep()).sessions).to.equal(1);
  });
});
