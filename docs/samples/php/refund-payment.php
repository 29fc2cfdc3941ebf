<?php

$id = getenv('PAYMENT_ID');
$context = stream_context_create(['http' => [
    'method' => 'POST',
    'timeout' => 30,
    'header' => [
        'X-API-Key: ' . getenv('PAYMENT_CHECKOUT_KEY'),
        'Content-Type: application/json',
        "Idempotency-Key: refund-1-of-$id",
    ],
    'content' => json_encode(['amount' => '5.00', 'reason' => 'One of two shirts came back.']),
]]);
$body = file_get_contents(getenv('PAYMENT_CHECKOUT_URL') . "/v1/payment/$id/refund", false, $context);
if ($body === false) {
    exit(1);
}
$refund = json_decode($body, true);
echo $refund['id'], ' ', $refund['status'], ' ', $refund['coin_amount'], ' ', $refund['coin'], "\n";
