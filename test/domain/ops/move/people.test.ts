import { expect } from 'chai';
import { forgetMerchant } from '../../../../src/domain/ops/move/take-back.ts';
import { addMember } from '../../../../src/domain/people/members/members.ts';
import { resetAccount } from '../../../../src/domain/people/recovery/reset.ts';
import { joinDesk, openBrowser, PASSWORD, type DeskPerson } from '../../../support/desk.ts';
import { createMoveStand, type MoveStand } from '../../../support/move-stand.ts';
import { pauseMerchant, refusal } from '../../../support/paused.ts';

const NEXT = 'four red boats on the lake';

describe('people of a merchant that moves', function () {
  this.timeout(60_000);
  let stand: MoveStand;
  let ann: DeskPerson;
  beforeEach(async () => {
    stand = await createMoveStand();
    ann = await joinDesk(stand.source, 'ann@shop.example');
  });
  afterEach(() => stand.close());

  const joinAnother = async () => {
    const { ctx } = stand.source;
    const { id } = await stand.source.addMerchant();
    await ctx.db.transaction((tx) =>
      addMember(tx, { merchantId: id, personId: ann.id, role: 'owner', now: ctx.now() }),
    );
    return id;
  };
  const change = async () =>
    (await ann.post('/dashboard/account/password', { present: PASSWORD, next: NEXT })).status;
  const signIn = async (password: string) => {
    stand.source.advance(30);
    const browser = openBrowser(stand.source);
    await browser.post('/dashboard/sign-in', { email: ann.email, password });
    return (await browser.post('/dashboard/second-factor', { code: ann.code() })).status;
  };
  const written = (merchantId: string) =>
    stand.source.ctx
      .db('operator_actions')
      .where({ merchant_id: merchantId })
      .orderBy('number')
      .pluck('command');

  it('sign in and change their account while one of their merchants has left, and the other log says so', async () => {
    const other = await joinAnother();
    await stand.move();
    const { merchant, ctx } = stand.source;
    const before = await written(merchant.id);
    expect(await change()).to.equal(303);
    expect(await signIn(NEXT)).to.equal(303);
    await resetAccount(ctx, ann.email, { kind: 'command', actor: 'Ann Lee', address: null });
    expect(await written(other)).to.include.members(['password changed', 'signed in', 'person reset']);
    expect(await written(merchant.id)).to.deep.equal(before);
  });

  it('are refused a change of their account where each of their merchants has left: it is there', async () => {
    await stand.move();
    expect(await change()).to.equal(503);
    expect(await written(stand.source.merchant.id)).to.not.include('password changed');
  });

  it('wait with it while a merchant of theirs is paused, whose log would lack it', async () => {
    const { ctx, merchant } = stand.source;
    await joinAnother();
    await pauseMerchant(stand.source);
    expect(await change()).to.equal(503);
    const by = { kind: 'command', actor: 'Ann Lee', address: null } as const;
    expect(await refusal(resetAccount(ctx, ann.email, by))).to.include(`${merchant.id} is being moved`);
  });

  it('change their account where a merchant of theirs is arriving, whose log lacks it as the other cell’s has it', async () => {
    const { source } = stand;
    const other = await joinAnother();
    await stand.move();
    await forgetMerchant(source.ctx.db, source.merchant.id, { knownMs: 0 });
    await stand.moveBack({ switchRoutes: async () => void expect(await change()).to.equal(303) });
    expect(await written(other)).to.include('password changed');
    expect(await written(source.merchant.id)).to.not.include('password changed');
    const before = await written(source.merchant.id);
    expect(await signIn(NEXT)).to.equal(303);
    expect((await written(source.merchant.id)).slice(before.length)).to.include('signed in');
  });
});
