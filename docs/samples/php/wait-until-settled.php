<?php

$baseUrl = getenv('PAYMENT_CHECKOUT_URL');
$id = getenv('PAYMENT_ID');

function request(string $method, string $url): array
{
    $context = stream_context_create(['http' => [
        'method' => $method,
        'timeout' => 30,
        'header' => 'X-API-Key: ' . getenv('PAYMENT_CHECKOUT_KEY'),
    ]]);
    $body = file_get_contents($url, false, $context);
    if ($body === false) {
        exit(1);
    }
    return json_decode($body, true);
}

// With a test key only: pays what is missing, as the customer does.
request('POST', "$baseUrl/v1/sandbox/payments/$id/transfers");

while (true) {
    $payment = request('GET', "$baseUrl/v1/payment/$id");
    echo $payment['status'], "\n";
    if (in_array($payment['status'], ['SETTLED', 'EXPIRED', 'FAILED'], true)) {
        break;
    }
    sleep(2);
}
echo $payment['actually_paid'], ' ', $payment['actually_paid_currency'], "\n";
