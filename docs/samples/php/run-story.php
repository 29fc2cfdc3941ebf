<?php

$context = stream_context_create(['http' => [
    'method' => 'POST',
    'timeout' => 30,
    'header' => [
        'X-API-Key: ' . getenv('PAYMENT_CHECKOUT_KEY'),
        'Content-Type: application/json',
    ],
    'content' => json_encode(['story' => 'late-after-partial', 'ids' => 'stable']),
]]);
$body = file_get_contents(getenv('PAYMENT_CHECKOUT_URL') . '/v1/sandbox/scenarios', false, $context);
if ($body === false) {
    exit(1);
}
foreach (json_decode($body, true)['transitions'] as $step) {
    echo "{$step['at']} {$step['from']} -> {$step['to']} {$step['event']}\n";
}
