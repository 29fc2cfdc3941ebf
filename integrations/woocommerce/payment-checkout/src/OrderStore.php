<?php

declare(strict_types=1);

namespace PaymentCheckout\WooCommerce;

use PaymentCheckout\EventStore;
use WC_Order;

/**
 * Remembers in the order itself which of its events were handled. WordPress commits each statement, and so do
 * plugins that act on orders: a named lock of the database keeps other deliveries out, and what a process
 * leaves half done when it is killed is done again: every change to an order says how the order is to be.
 */
final class OrderStore implements EventStore
{
    private const HANDLED = '_payment_checkout_handled';
    private const MAX_WAIT_SECONDS = 10;

    private ?WC_Order $order = null;

    /** @param string $proof what Payments::proofOf says of the order */
    public function __construct(private readonly int $orderId, private readonly string $proof)
    {
    }

    public function transaction(callable $work): mixed
    {
        global $wpdb;
        // Names are the server's, of all its databases.
        $name = 'payment_checkout_' . substr(hash('sha256', DB_NAME . "|$wpdb->prefix|$this->orderId"), 0, 32);
        $got = $wpdb->get_var($wpdb->prepare('SELECT GET_LOCK(%s, %d)', $name, self::MAX_WAIT_SECONDS));
        if ((int) $got !== 1) {
            throw new \RuntimeException("order $this->orderId is being changed: another delivery holds its lock");
        }
        try {
            return $work();
        } finally {
            $wpdb->get_var($wpdb->prepare('SELECT RELEASE_LOCK(%s)', $name));
        }
    }

    public function lock(string $paymentId): int
    {
        // Read under the lock: before, another delivery may have been changing it.
        $order = wc_get_order($this->orderId);
        if (!$order instanceof WC_Order || !hash_equals(Payments::proofOf($order), $this->proof)) {
            throw new UnknownOrder("there is no order $this->orderId of this shop that fits the event");
        }
        $this->order = $order;
        return (int) (self::handled($order)[$paymentId] ?? 0);
    }

    public function remember(string $paymentId, int $sequence, string $eventId): void
    {
        $order = $this->order();
        $order->update_meta_data(self::HANDLED, [$paymentId => $sequence] + self::handled($order));
        $order->save_meta_data();
    }

    /** The locked order. */
    public function order(): WC_Order
    {
        return $this->order ?? throw new \LogicException('no order is locked');
    }

    /** @return array<string, int> the last sequence of each payment */
    private static function handled(WC_Order $order): array
    {
        $handled = $order->get_meta(self::HANDLED);
        return is_array($handled) ? $handled : [];
    }
}
