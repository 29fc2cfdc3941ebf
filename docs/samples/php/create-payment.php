<?php

$context = stream_context_create(['http' => [
    'method' => 'POST',
    'timeout' => 30,
    'header' => [
        'X-API-Key: ' . getenv('PAYMENT_CHECKOUT_KEY'),
        'Content-Type: application/json',
    ],
    'content' => json_encode([
        'pay_amount' => '25.00',
        'order_id' => 'order-1',
        'success_url' => 'https://shop.example/thanks',
    ]),
]]);
$body = file_get_contents(getenv('PAYMENT_CHECKOUT_URL') . '/v1/payment', false, $context);
if ($body === false) {
    exit(1);
}
$payment = json_decode($body, true);
echo $payment['id'], ' ', $payment['checkout_url'], "\n";
