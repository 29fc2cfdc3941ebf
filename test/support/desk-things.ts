import { expect } from 'chai';
import { visiblePrefix } from '../../src/platform/values/cells.ts';
import type { DeskPerson } from './desk.ts';
import type { Harness, TestMerchant } from './harness.ts';
import { createPayment } from './http.ts';
import { createLink } from './links.ts';
import { makeTill } from './tills.ts';
import { addWallet } from './wallets.ts';

/** One thing of each kind that a path may name. */
export interface Things {
  readonly person: string;
  readonly payment: string;
  readonly key: string;
  readonly endpoint: string;
  readonly delivery: string;
  readonly till: string;
  readonly device: string;
  readonly link: string;
  readonly wallet: string;
}

/** Makes one thing of each kind at a merchant. */
export async function thingsOf(
  harness: Harness,
  merchant: TestMerchant,
  person: DeskPerson,
): Promise<Things> {
  const { id: payment } = await createPayment(harness, {}, merchant.apiKey);
  const registered = harness.api('post', '/v1/webhooks/endpoints', merchant.apiKey);
  const { body } = await registered.send({ url: 'https://receiver.example/hooks', enabled: false });
  await harness.work();
  const [delivery] = (await harness.ctx.db('deliveries').where({ payment_id: payment }).select('id')) as {
    id: string;
  }[];
  return {
    person: person.id,
    payment,
    key: visiblePrefix(merchant.apiKey),
    endpoint: (body as { id: string }).id,
    link: (await createLink(harness, {}, merchant.apiKey)).id,
    wallet: (await addWallet(harness.ctx, merchant.id)).id,
    delivery: delivery?.id ?? expect.fail('the event has no delivery'),
    till: (await makeTill(harness, { merchantId: merchant.id })).id,
    device: 'x'.repeat(32),
  };
}

/** Puts things into a path; what has no id before it is used gets one that does not exist. */
export function filled(path: string, merchant: string, things: Things): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => {
    if (name === 'merchant') return merchant;
    if (name === 'need') return 'money_left';
    if (name === 'mail') return 'paid';
    if (name === 'language') return 'en';
    if (['session', 'invitation', 'token', 'passkey', 'refund', 'view'].includes(name)) return 'x'.repeat(32);
    return things[name as keyof Things] ?? expect.fail(`a :${name} of a path needs a value here`);
  });
}
