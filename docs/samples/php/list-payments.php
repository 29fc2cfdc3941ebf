<?php

$query = ['status' => 'WAITING,PENDING,PROCESSING,SETTLED', 'limit' => 100];
$context = stream_context_create(['http' => [
    'timeout' => 30,
    'header' => 'X-API-Key: ' . getenv('PAYMENT_CHECKOUT_KEY'),
]]);
do {
    $url = getenv('PAYMENT_CHECKOUT_URL') . '/v1/payments?' . http_build_query($query);
    $body = file_get_contents($url, false, $context);
    if ($body === false) {
        exit(1);
    }
    $page = json_decode($body, true);
    foreach ($page['data'] as $payment) {
        echo $payment['id'], ' ', $payment['status'], ' ', $payment['pay_amount'], "\n";
    }
    $query['cursor'] = $page['pagination']['next_cursor'];
} while ($query['cursor'] !== null);
