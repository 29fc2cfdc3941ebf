<?php

/*
 * Receives webhooks, and fulfils each order once. Any server of PHP runs it; to try it:
 * WEBHOOK_SECRET=whsec_... php -S localhost:4000 receiver.php
 */

declare(strict_types=1);

use PaymentCheckout\Once;
use PaymentCheckout\PdoEventStore;
use PaymentCheckout\Refused;
use PaymentCheckout\Webhook;

require getenv('PAYMENT_CHECKOUT_AUTOLOAD') ?: __DIR__ . '/../autoload.php';

try {
    $event = Webhook::receive((string) getenv('WEBHOOK_SECRET'));
} catch (Refused $refusal) {
    // The status is 401 already.
    error_log('refused: ' . $refusal->getMessage());
    exit;
}

$db = new PDO('sqlite:' . (getenv('DATABASE') ?: __DIR__ . '/shop.sqlite'));
$db->exec(PdoEventStore::HANDLED_EVENTS_TABLE);
$db->exec('CREATE TABLE IF NOT EXISTS parcels (order_id VARCHAR(255) PRIMARY KEY)');

// What the shop does, in the transaction that remembers the event. What it throws is a 500: the event comes again.
Once::handle(new PdoEventStore($db), $event, function (array $event) use ($db): void {
    $order = $event['metadata']['orderId'];
    error_log("{$event['type']} {$event['sequence']}: order $order");
    if ($event['type'] === 'checkout.settled') {
        // An order that was paid twice, by two payments, is sent once.
        $db->prepare('INSERT OR IGNORE INTO parcels (order_id) VALUES (?)')->execute([$order]);
    }
});
