<?php

declare(strict_types=1);

namespace PaymentCheckout\WooCommerce;

use WC_Order;

/** What an event does to its order. Each change says how the order is to be: done twice, it is the same. */
final class OrderEvents
{
    /** @param array<string, mixed> $event */
    public static function apply(WC_Order $order, array $event): void
    {
        $checkout = $event['data']['checkout'];
        match ($event['type']) {
            'checkout.pending' => self::seen($order, $checkout),
            'checkout.settled' => self::settled($order, $checkout),
            'checkout.failed' => self::failed($order, $checkout),
            'checkout.refunded' => self::refunded($order, $event['data']['refund']),
            'checkout.funds_received' => self::received($order, $event['data']['transfer']),
            // Nothing of the order depends on it, or its type was added later.
            default => null,
        };
    }

    /** On hold, WooCommerce does not cancel the order for want of payment, and keeps what is in it. */
    private static function seen(WC_Order $order, array $checkout): void
    {
        if (in_array('underpaid', $checkout['exceptions'], true)) {
            $order->add_order_note(__('Too little money came so far: the page asks for the rest.', 'payment-checkout'));
        } elseif ($order->needs_payment()) {
            $order->update_status('on-hold', __('Money was seen; it is being confirmed.', 'payment-checkout'));
        }
    }

    private static function settled(WC_Order $order, array $checkout): void
    {
        $asked = Payments::askedBy($order, $checkout['id']);
        $total = Payments::totalOf($order);
        if ($order->is_paid()) {
            if ($order->get_transaction_id() !== $checkout['id']) {
                // translators: %s: id of a payment
                $text = __('The order was paid twice. Refund the payment %s at the service.', 'payment-checkout');
                $order->add_order_note(sprintf($text, $checkout['id']));
            }
            return;
        }
        if ($asked !== $total) {
            // translators: 1 and 2: amounts with currency, 3: id of a payment
            $text = __('%1$s was paid, and the order is %2$s now: look at the payment %3$s.', 'payment-checkout');
            $order->set_transaction_id($checkout['id']);
            $order->update_status('on-hold', sprintf($text, $asked ?? '?', $total, $checkout['id']));
            return;
        }
        if (!$order->payment_complete($checkout['id'])) {
            throw new \RuntimeException("order {$order->get_id()} could not be completed");
        }
    }

    private static function failed(WC_Order $order, array $checkout): void
    {
        if ($order->is_paid() || Payments::isReplaced($order, $checkout['id'])) {
            return;
        }
        if ($order->has_status(['pending', 'on-hold'])) {
            $text = $checkout['status'] === 'EXPIRED'
                ? __('The payment expired. The customer can pay the order again.', 'payment-checkout')
                : __('The payment failed. The customer can pay the order again.', 'payment-checkout');
            $order->update_status('failed', $text);
        }
    }

    private static function refunded(WC_Order $order, array $refund): void
    {
        // translators: 1: amount, 2: coin, 3: transaction
        $text = __('%1$s %2$s was sent back: transaction %3$s.', 'payment-checkout');
        $order->add_order_note(sprintf($text, $refund['coinAmount'], $refund['coin'], $refund['txHash'] ?? '-'));
    }

    private static function received(WC_Order $order, array $transfer): void
    {
        // translators: 1: amount, 2: coin, 3: transaction
        $text = __('%1$s %2$s came that changes nothing, and can be refunded: transaction %3$s.', 'payment-checkout');
        $order->add_order_note(sprintf($text, $transfer['amount'], $transfer['coin'], $transfer['txHash'] ?? '-'));
    }
}
