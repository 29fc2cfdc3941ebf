<?php

/*
 * Receives webhooks, and fulfils each order once, in the transaction that notes its event. Any server of PHP
 * runs it; to try it: WEBHOOK_SECRET=whsec_... php -S localhost:4000 hooks.php
 */

declare(strict_types=1);

require __DIR__ . '/verify.php';

const MAX_BODY_BYTES = 1_000_000;

try {
    $secrets = webhookSecrets((string) (getenv('WEBHOOK_SECRET') ?: getenv('WEBHOOK_SECRETS')));
} catch (InvalidArgumentException $fault) {
    error_log($fault->getMessage());
    http_response_code(500);
    exit;
}

http_response_code(receive($secrets));

/** Returns the status of the response: 401 for what is not from the service, 200 for an event. */
function receive(array $secrets): int
{
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
        return 405;
    }
    // The signatures cover these bytes: a parsed body, written again, would be others.
    $body = (string) file_get_contents('php://input', length: MAX_BODY_BYTES + 1);
    if (strlen($body) > MAX_BODY_BYTES) {
        return 413;
    }
    try {
        verify($body, headers(), $secrets, time());
        $event = json_decode($body, true, 64, JSON_THROW_ON_ERROR);
    } catch (Refused | JsonException $refusal) {
        error_log('refused: ' . $refusal->getMessage());
        return 401;
    }
    try {
        handleOnce(connect(), $event);
    } catch (PDOException $fault) {
        // Nothing has changed: the event comes again.
        error_log("{$event['id']} was not handled: {$fault->getMessage()}");
        return 500;
    }
    return 200;
}

/** @return array<string, string> names in lower case */
function headers(): array
{
    $headers = [];
    foreach ($_SERVER as $name => $value) {
        if (str_starts_with((string) $name, 'HTTP_')) {
            $headers[strtolower(strtr(substr($name, 5), '_', '-'))] = (string) $value;
        }
    }
    return $headers;
}

function connect(): PDO
{
    $db = new PDO('sqlite:' . (getenv('DATABASE') ?: __DIR__ . '/shop.sqlite'));
    $db->exec('PRAGMA busy_timeout = 10000');
    // One row for each payment: its events are numbered 1, 2, 3 ..., and this is the last that was handled.
    $db->exec('CREATE TABLE IF NOT EXISTS handled (payment_id TEXT PRIMARY KEY, sequence INTEGER NOT NULL)');
    $db->exec('CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY)');
    $db->exec('CREATE TABLE IF NOT EXISTS parcels (order_id TEXT PRIMARY KEY)');
    return $db;
}

/** Handles an event unless it was handled; all that it changes is one transaction. */
function handleOnce(PDO $db, array $event): void
{
    // A second delivery waits here for the first one's end.
    $db->exec('BEGIN IMMEDIATE');
    try {
        $insert = $db->prepare('INSERT OR IGNORE INTO events (id) VALUES (?)');
        $insert->execute([$event['id']]);
        if ($insert->rowCount() === 1) {
            $latest = $db->prepare(
                'INSERT INTO handled (payment_id, sequence) VALUES (?, ?) ON CONFLICT (payment_id)'
                . ' DO UPDATE SET sequence = excluded.sequence WHERE excluded.sequence > handled.sequence',
            );
            $latest->execute([$event['data']['checkout']['id'], $event['sequence']]);
            handle($db, $event, $latest->rowCount() === 1);
        }
        $db->exec('COMMIT');
    } catch (Throwable $fault) {
        $db->exec('ROLLBACK');
        throw $fault;
    }
}

/** What the shop does. Events may come in any order: an older one must not undo what a newer one said. */
function handle(PDO $db, array $event, bool $isLatest): void
{
    $order = $event['metadata']['orderId'];
    $status = $event['data']['checkout']['status'];
    $late = $isLatest ? '' : ', late';
    error_log("{$event['type']} {$event['sequence']}: order $order is $status$late");
    if ($event['type'] === 'checkout.settled') {
        // An order that was paid twice, by two payments, is sent once.
        $insert = $db->prepare('INSERT OR IGNORE INTO parcels (order_id) VALUES (?)');
        $insert->execute([$order]);
        if ($insert->rowCount() === 1) {
            error_log("order $order is sent");
        }
    }
}
