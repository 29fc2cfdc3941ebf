import type { Run } from './record-payments.ts';

/** Creates payment links, reads them, and archives one. */
export async function recordLinks({ tape, harness }: Pick<Run, 'tape' | 'harness'>): Promise<void> {
  const { id } = await tape.record<{ id: string }>(harness, 'createLink', 'fixed', 'One price, in euros.', {
    body: { title: 'A pot of tea', prices: [{ amount: '12.00' }], price_currency: 'EUR' },
  });
  harness.advance(1);
  await tape.record(harness, 'createLink', 'everything', 'Sizes of which ten are left, and a question.', {
    body: {
      title: 'Shirt',
      description: 'Printed by hand, sent within a week.',
      prices: [
        { name: 'S', amount: '20.00' },
        { name: 'XL', amount: '22.50' },
      ],
      fields: [{ key: 'address', label: 'Where to send it', required: true, max_length: 300 }],
      stock: 10,
      expires_at: '2026-12-24T18:00:00Z',
      expiration_minutes: 30,
      thank_you: 'Thank you! Your shirt is on its way soon.',
    },
  });
  harness.advance(1);
  await tape.record(harness, 'createLink', 'open', 'A donation.', {
    body: { title: 'Donate', open_amount: { min: '1', max: '1000' } },
  });
  await tape.fail(harness, 'validation', 'createLink', { body: { title: 'Tea' } });
  await tape.record(harness, 'getLink', 'fixed', 'Nobody has bought yet.', { id });
  await tape.record(harness, 'listLinks', 'newest', 'The newest link, and where the list goes on.', {
    query: '?limit=1',
  });
  await tape.fail(harness, 'validation', 'listLinks', { query: '?limit=0' });
  await tape.record(harness, 'updateLink', 'price', 'Another price, and an end.', {
    id,
    body: { prices: [{ amount: '13.50' }], expires_at: '2026-12-24T18:00:00Z' },
  });
  await tape.record(harness, 'updateLink', 'paused', 'It takes no payment until it is active again.', {
    id,
    body: { is_active: false },
  });
  await tape.fail(harness, 'validation', 'updateLink', { id, body: { stock_change: 5 } });
  await tape.record(harness, 'archiveLink', 'archived', 'It takes no payment any more.', { id });
  await tape.fail(harness, 'link_not_found', 'getLink', {
    id: 'lnk_01KF00000000000000000000000'.slice(0, 30),
  });
}
