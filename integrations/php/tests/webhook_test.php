<?php

declare(strict_types=1);

use PaymentCheckout\Refused;
use PaymentCheckout\Secret;
use PaymentCheckout\Webhook;

$vectors = json_decode((string) file_get_contents(__DIR__ . '/../../vectors.json'), true, 64, JSON_THROW_ON_ERROR);
$genuine = $vectors['requests'][0];

/** "accepted", or the reason. */
function outcome(array $vector): string
{
    $body = $vector['body'] ?? base64_decode($vector['body_base64'], true);
    $tolerance = $vector['tolerance_seconds'] ?? Webhook::DEFAULT_TOLERANCE_SECONDS;
    try {
        $event = Webhook::verify($body, $vector['headers'], $vector['secrets'], $tolerance, (float) $vector['now']);
    } catch (Refused $refused) {
        return $refused->reason;
    }
    same('evt_1', $event['id']);
    return 'accepted';
}

it('accepts or refuses every request as in all languages', function () use ($vectors): void {
    $names = array_column($vectors['requests'], 'name');
    $found = array_combine($names, array_map(outcome(...), $vectors['requests']));
    same(true, count($found) > 100);
    same(array_combine($names, array_column($vectors['requests'], 'expect')), $found);
});

it('reads or refuses every configured secret as in all languages, and shows none', function () use ($vectors): void {
    foreach ($vectors['secrets'] as ['configured' => $configured, 'secrets' => $secrets]) {
        if ($secrets !== null) {
            same($secrets, array_map(fn (Secret $secret) => $secret->text, Secret::read($configured)));
            continue;
        }
        $fault = thrown(InvalidArgumentException::class, fn () => Secret::read($configured));
        same(0, preg_match('~hunter2|[\w+/]{20}~', $fault->getMessage()));
    }
});

it('reads the headers that a server hands to PHP', function () use ($genuine): void {
    $server = ['CONTENT_TYPE' => 'application/json', 'REQUEST_TIME' => 1, 'argv' => []];
    foreach ($genuine['headers'] as $name => $value) {
        $server['HTTP_' . strtoupper(strtr($name, '-', '_'))] = $value;
    }
    same('accepted', outcome(['headers' => Webhook::headers($server)] + $genuine));
});

it('takes the current time by default, and no tolerance below 0', function () use ($genuine): void {
    ['body' => $body, 'headers' => $headers, 'secrets' => $secrets] = $genuine;
    $verify = fn (int ...$more) => Webhook::verify($body, $headers, $secrets, ...$more);
    same('timestamp_too_old', thrown(Refused::class, $verify)->reason);
    thrown(InvalidArgumentException::class, fn () => $verify(-1));
});
