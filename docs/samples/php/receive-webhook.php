<?php

// php -S 127.0.0.1:4000 receive-webhook.php

const TOLERANCE_SECONDS = 300;

// The bytes that were signed: nothing parses them before.
$body = file_get_contents('php://input');
$timestamp = $_SERVER['HTTP_X_WEBHOOK_TIMESTAMP'] ?? '';
$signature = $_SERVER['HTTP_X_WEBHOOK_SIGNATURE'] ?? '';

$isSigned = false;
// During a rotation there are two, separated by a comma.
foreach (explode(',', getenv('WEBHOOK_SECRET')) as $secret) {
    $expected = hash_hmac('sha256', "$timestamp.$body", trim($secret));
    $isSigned = $isSigned || hash_equals($expected, $signature);
}
$isFresh = ctype_digit($timestamp) && abs(time() - (int) $timestamp) <= TOLERANCE_SECONDS;
if (!$isSigned || !$isFresh) {
    http_response_code(401);
    return;
}
http_response_code(200);

$event = json_decode($body, true);
// In production: remember $event['id'] in your database, and do nothing where it is known. Leave work that
// takes long to another process.
error_log(sprintf(
    '%s %d: order %s is %s',
    $event['type'],
    $event['sequence'],
    $event['metadata']['orderId'],
    $event['data']['checkout']['status'],
));
