<?php

$context = stream_context_create(['http' => [
    'method' => 'POST',
    'timeout' => 30,
    // Errors have a body, too.
    'ignore_errors' => true,
    'header' => [
        'X-API-Key: ' . getenv('PAYMENT_CHECKOUT_KEY'),
        'Content-Type: application/json',
    ],
    // An amount must be text.
    'content' => json_encode(['pay_amount' => 25, 'order_id' => 'order-1']),
]]);
$body = file_get_contents(getenv('PAYMENT_CHECKOUT_URL') . '/v1/payment', false, $context);
if ($body === false) {
    exit("no response: send it again, with the same Idempotency-Key\n");
}
$answer = json_decode($body, true);
$status = $answer['statusCode'] ?? 201;
if ($status === 429 || $status === 503) {
    echo 'wait as long as Retry-After says, and send it again: ', $answer['request_id'], "\n";
} elseif (isset($answer['details'])) {
    $details = $answer['details'];
    echo "refused: {$details['field']} {$details['constraint']} {$answer['request_id']}\n";
} elseif ($status >= 400) {
    echo "refused: $status {$answer['message']}\n";
}
