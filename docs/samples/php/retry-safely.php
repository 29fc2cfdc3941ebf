<?php

function createPayment(string $orderId): array
{
    // The key follows from the order: however often this runs, the order has one payment.
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'timeout' => 30,
        'ignore_errors' => true,
        'header' => [
            'X-API-Key: ' . getenv('PAYMENT_CHECKOUT_KEY'),
            'Content-Type: application/json',
            "Idempotency-Key: payment-of-$orderId",
        ],
        'content' => json_encode(['pay_amount' => '25.00', 'order_id' => $orderId]),
    ]]);
    foreach ([1, 2, 4, 0] as $wait) {
        $body = @file_get_contents(getenv('PAYMENT_CHECKOUT_URL') . '/v1/payment', false, $context);
        $answer = $body === false ? [] : json_decode($body, true);
        if (isset($answer['id'])) {
            return $answer;
        }
        // No response, and these, pass; what else is refused stays refused.
        if ($body !== false && !in_array($answer['statusCode'] ?? 0, [429, 500, 503], true)) {
            break;
        }
        sleep($wait);
    }
    throw new RuntimeException($answer['message'] ?? 'no response');
}

echo createPayment('order-7')['id'], "\n";
echo createPayment('order-7')['id'], "\n";
