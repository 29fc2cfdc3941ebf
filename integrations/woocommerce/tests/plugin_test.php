<?php

declare(strict_types=1);

use PaymentCheckout\WooCommerce\BlocksMethod;
use PaymentCheckout\WooCommerce\Gateway;
use PaymentCheckout\WooCommerce\Payments;
use PaymentCheckout\WooCommerce\Receiver;

require_once __DIR__ . '/recorded.php';
// WordPress loads plugins by their names: this one before WooCommerce.
require_once __DIR__ . '/../payment-checkout/payment-checkout.php';
require_once __DIR__ . '/recorded_classes.php';

function answers(array ...$answers): void
{
    Site::$answers = array_map(
        fn (array $answer) => ['status' => $answer[0], 'body' => json_encode($answer[1], JSON_THROW_ON_ERROR)],
        $answers,
    );
}

function payment(string $id, string $status = 'WAITING'): array
{
    return ['id' => $id, 'status' => $status, 'checkout_url' => "https://pay.example/checkout/$id"];
}

/** What the last request was: method, path and body. */
function lastSent(): array
{
    $sent = Site::$sent[count(Site::$sent) - 1];
    $path = substr($sent['url'], strlen('https://pay.example'));
    return [$sent['method'], $path, json_decode($sent['body'] ?? '', true)];
}

/** An event of the order, as the service tells of it. */
function eventOf(WC_Order $order, int $sequence, string $type, array $more = [], string $payment = 'pay_1'): array
{
    $checkout = ['id' => $payment, 'status' => $more['status'] ?? 'WAITING', 'exceptions' => $more['exceptions'] ?? []];
    return [
        'id' => "evt_{$payment}_$sequence",
        'type' => "checkout.$type",
        'sequence' => $sequence,
        'data' => ['checkout' => $checkout] + ($more['data'] ?? []),
        'metadata' => ['orderId' => (string) $order->get_id(), 'shop_order' => Payments::proofOf($order)],
    ];
}

/** Delivers an event, and returns the status of the response. */
function deliver(array $event, ?string $secret = null): int
{
    $body = json_encode($event, JSON_THROW_ON_ERROR);
    $secret ??= Site::$options['woocommerce_payment_checkout_settings']['webhook_secret'];
    $time = (string) time();
    return Receiver::configured()->answer($body, [
        'x-webhook-timestamp' => $time,
        'x-webhook-signature' => hash_hmac('sha256', "$time.$body", $secret),
    ]);
}

/** An order whose payment pay_1 was created. */
function ordered(int $id = 7): WC_Order
{
    new WC_Order($id);
    answers([201, payment('pay_1')]);
    (new Gateway())->process_payment($id);
    return wc_get_order($id);
}

it('leads to the page of a payment that asks for the price of the order', function (): void {
    Site::reset();
    $order = new WC_Order(7);
    answers([201, payment('pay_1')]);
    same(
        ['result' => 'success', 'redirect' => 'https://pay.example/checkout/pay_1'],
        (new Gateway())->process_payment(7),
    );
    same(['POST', '/v1/payment', [
        'price_amount' => '10.50',
        'price_currency' => 'EUR',
        'order_id' => '7',
        'order_description' => 'Order N7 at Tom & Co',
        'callback_url' => 'https://shop.example/wc-api/payment_checkout/',
        'success_url' => 'https://shop.example/thanks/7',
        'cancel_url' => 'https://shop.example/pay/7',
        'metadata' => ['shop_order' => Payments::proofOf($order)],
        'customer_email' => 'ann@example.com',
    ]], lastSent());
    same([0, 'sk_test_abc'], [Site::$sent[0]['redirection'], Site::$sent[0]['headers']['X-API-Key']]);
});

it('asks for the amount as coins where the shop says so, without decimals that say nothing', function (): void {
    Site::reset(['pricing' => 'par']);
    new WC_Order(7, '300.00');
    answers([201, payment('pay_1')]);
    (new Gateway())->process_payment(7);
    $body = lastSent()[2];
    same(['300', false], [$body['pay_amount'], isset($body['price_amount'])]);
});

it('leads to the same payment at a second click, and never makes two of one click', function (): void {
    Site::reset();
    ordered();
    answers([200, payment('pay_1', 'PENDING')]);
    same('https://pay.example/checkout/pay_1', (new Gateway())->process_payment(7)['redirect']);
    same(2, count(Site::$sent));
    // The shop was killed before it noted the payment.
    Site::$orders[7] = new WC_Order(7);
    answers([201, payment('pay_1')]);
    (new Gateway())->process_payment(7);
    same(Site::$sent[0]['headers']['Idempotency-Key'], Site::$sent[2]['headers']['Idempotency-Key']);
});

it('makes a new payment where the last one has expired', function (): void {
    Site::reset();
    ordered();
    answers([200, payment('pay_1', 'EXPIRED')], [201, payment('pay_2')]);
    same('https://pay.example/checkout/pay_2', (new Gateway())->process_payment(7)['redirect']);
    same(false, Site::$sent[0]['headers']['Idempotency-Key'] === Site::$sent[2]['headers']['Idempotency-Key']);
});

it('cancels a payment that asks for another total, unless its money was seen', function (): void {
    Site::reset();
    ordered();
    Site::$orders[7]->total = '12.00';
    answers([200, payment('pay_1')], [200, payment('pay_1', 'EXPIRED')], [201, payment('pay_2')]);
    same('https://pay.example/checkout/pay_2', (new Gateway())->process_payment(7)['redirect']);
    same('https://pay.example/v1/payment/pay_1/cancel', Site::$sent[2]['url']);
    Site::$orders[7]->total = '13.00';
    answers([200, payment('pay_2')], [409, ['message' => 'money was seen']]);
    same('https://pay.example/checkout/pay_2', (new Gateway())->process_payment(7)['redirect']);
});

it('says that it is not possible right now where the service is away, and logs why', function (): void {
    Site::reset();
    new WC_Order(7);
    answers([400, ['message' => 'price_currency must be known']]);
    same(['result' => 'failure'], (new Gateway())->process_payment(7));
    same(1, count(Site::$notices));
    same(['error: order 7: price_currency must be known'], Site::$log);
});

it('can be used once it is switched on and knows its service, and shows no key to the block', function (): void {
    Site::reset();
    same(true, (new Gateway())->is_available());
    $block = new BlocksMethod('/plugin.php');
    same(true, $block->is_active());
    same(['title' => 'Coins', 'supports' => ['products', 'refunds']], array_diff_key(
        $block->get_payment_method_data(),
        ['description' => ''],
    ));
    foreach ([['api_key' => ''], ['base_url' => ''], ['enabled' => 'no']] as $missing) {
        Site::reset($missing);
        same([false, false], [(new Gateway())->is_available(), $block->is_active()]);
    }
});

it('refuses settings that cannot work, and shows no secret', function (): void {
    Site::reset();
    $gateway = new Gateway();
    $secret = Site::$options['woocommerce_payment_checkout_settings']['webhook_secret'];
    same($secret, $gateway->validate_webhook_secret_field('webhook_secret', " $secret\n"));
    same('sk_live_a', $gateway->validate_api_key_field('api_key', ' sk_live_a '));
    foreach (['validate_webhook_secret_field', 'validate_api_key_field', 'validate_base_url_field'] as $check) {
        foreach (['', null, 'hunter2'] as $wrong) {
            $fault = thrown(InvalidArgumentException::class, fn () => $gateway->$check('', $wrong));
            same(false, str_contains($fault->getMessage(), 'hunter2'));
        }
    }
});

it('puts an order on hold when money is seen, and completes it when it is settled', function (): void {
    Site::reset();
    $order = ordered();
    same(200, deliver(eventOf($order, 1, 'created')));
    same('pending', wc_get_order(7)->status);
    same(200, deliver(eventOf($order, 2, 'pending')));
    same('on-hold', wc_get_order(7)->status);
    same(200, deliver(eventOf($order, 3, 'processing')));
    same(200, deliver(eventOf($order, 4, 'settled')));
    same(['processing', 'pay_1'], [wc_get_order(7)->status, wc_get_order(7)->transaction]);
    same(false, Site::$isLocked);
});

it('handles an event once, and none that is older than the last', function (): void {
    Site::reset();
    $order = ordered();
    $refund = ['refund' => ['coinAmount' => '1', 'coin' => 'USDC', 'txHash' => '0xa']];
    deliver(eventOf($order, 1, 'created'));
    same(200, deliver(eventOf($order, 2, 'refunded', ['data' => $refund])));
    same(200, deliver(eventOf($order, 2, 'refunded', ['data' => $refund])));
    same(['1 USDC was sent back: transaction 0xa.'], wc_get_order(7)->notes);
    deliver(eventOf($order, 1, 'failed', ['status' => 'EXPIRED']));
    same('pending', wc_get_order(7)->status);
});

it('fetches events that are missing, and handles them in their order', function (): void {
    Site::reset();
    $order = ordered();
    $page = ['data' => [eventOf($order, 1, 'created'), eventOf($order, 2, 'pending')]];
    answers([200, $page + ['pagination' => ['next_cursor' => null, 'has_more' => false]]]);
    same(200, deliver(eventOf($order, 3, 'settled')));
    same(['GET', '/v1/payment/pay_1/events', null], lastSent());
    same(['processing', ['Money was seen; it is being confirmed.']], [
        wc_get_order(7)->status, wc_get_order(7)->notes,
    ]);
});

it('asks for an event again where it could not be handled, and holds no lock', function (): void {
    Site::reset();
    $order = ordered();
    answers([403, ['message' => 'the key lacks payments:read']]);
    same(500, deliver(eventOf($order, 3, 'settled')));
    same(['pending', false], [wc_get_order(7)->status, Site::$isLocked]);
    Site::$isLocked = true;
    same(500, deliver(eventOf($order, 1, 'created')));
});

it('refuses what the service did not sign, logs that once a minute, and is broken without a secret', function (): void {
    Site::reset();
    $order = ordered();
    same(401, deliver(eventOf($order, 1, 'settled'), 'whsec_' . base64_encode(str_repeat('x', 32))));
    same(401, Receiver::configured()->answer('{}', []));
    same(['pending', 1], [wc_get_order(7)->status, count(Site::$log)]);
    Site::$options['woocommerce_payment_checkout_settings']['webhook_secret'] = '';
    same(500, deliver(eventOf($order, 1, 'settled'), 'whsec_' . base64_encode(str_repeat('s', 32))));
});

it('leaves orders of other shops alone, and events of none', function (): void {
    Site::reset();
    $order = ordered();
    $other = eventOf(new WC_Order(8, '10.50', 'wc_order_other'), 1, 'settled');
    $other['metadata']['orderId'] = '7';
    same(200, deliver($other));
    $tested = eventOf($order, 1, 'settled');
    $tested['metadata']['orderId'] = 'test-order';
    same(200, deliver($tested));
    $unknown = eventOf($order, 1, 'settled');
    $unknown['metadata']['orderId'] = '9';
    same(200, deliver($unknown));
    same(['pending', ''], [wc_get_order(7)->status, wc_get_order(7)->transaction]);
});

it('lets the customer pay again what has expired, unless a newer payment is open', function (): void {
    Site::reset();
    $order = ordered();
    deliver(eventOf($order, 1, 'failed', ['status' => 'EXPIRED']));
    same('failed', wc_get_order(7)->status);
    answers([200, payment('pay_1', 'EXPIRED')], [201, payment('pay_2')]);
    (new Gateway())->process_payment(7);
    Site::$orders[7]->status = 'pending';
    deliver(eventOf($order, 2, 'failed', ['status' => 'FAILED']));
    same('pending', wc_get_order(7)->status);
});

it('says what a person must look at: paid twice, another total, too little, other money', function (): void {
    Site::reset();
    $order = ordered();
    deliver(eventOf($order, 1, 'pending', ['exceptions' => ['underpaid']]));
    same('pending', wc_get_order(7)->status);
    Site::$orders[7]->total = '12.00';
    deliver(eventOf($order, 2, 'settled'));
    same(['on-hold', 'pay_1'], [wc_get_order(7)->status, wc_get_order(7)->transaction]);
    Site::$orders[7]->status = 'processing';
    deliver(eventOf($order, 1, 'settled', payment: 'pay_2'));
    $transfer = ['transfer' => ['amount' => '3', 'coin' => 'DAI', 'txHash' => null]];
    deliver(eventOf($order, 2, 'funds_received', ['data' => $transfer], 'pay_2'));
    same([
        'Too little money came so far: the page asks for the rest.',
        '10.50 EUR was paid, and the order is 12 EUR now: look at the payment pay_1.',
        'The order was paid twice. Refund the payment pay_2 at the service.',
        '3 DAI came that changes nothing, and can be refunded: transaction -.',
    ], wc_get_order(7)->notes);
});

it('refunds a part at its price, the rest as everything that is left, and the same click once', function (): void {
    Site::reset();
    $order = ordered();
    deliver(eventOf($order, 1, 'settled'));
    $refund = fn (string $id, string $status = 'PENDING') => [
        'id' => $id, 'amount' => '3.1', 'currency' => 'USDC', 'status' => $status,
    ];
    Site::$orders[7]->refunded = 3.0;
    answers([201, $refund('ref_1', 'NEEDS_ADDRESS')]);
    same(true, (new Gateway())->process_refund(7, '3.00', 'broken'));
    $body = ['price_amount' => '3', 'price_currency' => 'EUR', 'reason' => 'broken'];
    same(['POST', '/v1/payment/pay_1/refund', $body], lastSent());
    same(['Refund ref_1 of 3.1 USDC: the customer is asked for an address.'], wc_get_order(7)->notes);

    answers([201, $refund('ref_1')]);
    $again = (new Gateway())->process_refund(7, '3.00', 'broken');
    same('this refund has been asked for already: ref_1', $again->get_error_message());
    same(Site::$sent[1]['headers']['Idempotency-Key'], Site::$sent[2]['headers']['Idempotency-Key']);

    Site::$orders[7]->refunded = 10.5;
    answers([201, $refund('ref_2')]);
    same(true, (new Gateway())->process_refund(7, '7.50', ''));
    same(['POST', '/v1/payment/pay_1/refund', []], lastSent());
    same('{}', Site::$sent[3]['body']);
});

it('refunds what was asked for, and not all, of an order that has become cheaper since it was paid', function (): void {
    Site::reset();
    $order = ordered();
    Site::$orders[7]->total = '5.00';
    deliver(eventOf($order, 1, 'settled'));
    same('on-hold', wc_get_order(7)->status);
    Site::$orders[7]->refunded = 5.0;
    answers([201, ['id' => 'ref_1', 'amount' => '5.2', 'currency' => 'USDC', 'status' => 'PENDING']]);
    same(true, (new Gateway())->process_refund(7, '5.00', ''));
    $body = ['price_amount' => '5', 'price_currency' => 'EUR'];
    same(['POST', '/v1/payment/pay_1/refund', $body], lastSent());
});

it('tells why a refund is not possible', function (): void {
    Site::reset();
    new WC_Order(8);
    $none = (new Gateway())->process_refund(8, '1', '');
    same('the order has no payment of this service', $none->get_error_message());
    ordered();
    answers([409, ['message' => 'the payment has no money to refund']]);
    $refused = (new Gateway())->process_refund(7, '1', '');
    same('the payment has no money to refund', $refused->get_error_message());
});
