<?php

declare(strict_types=1);

namespace PaymentCheckout\WooCommerce;

use PaymentCheckout\ApiError;
use PaymentCheckout\Client;
use WC_Order;

/** The payments of orders: what the shop asks of the service. */
final class Payments
{
    /** The payments that were created for an order, newest last: id, and the total that was asked for. */
    private const MADE = '_payment_checkout_payments';
    private const REFUNDS = '_payment_checkout_refunds';
    private const MAX_DESCRIPTION = 1000;

    public function __construct(private readonly Client $client, private readonly bool $isAtPar)
    {
    }

    /**
     * Returns the address of the page on which the customer pays the order: of its payment, while that is open
     * and asks for what the order costs, or else of a new one. A second click has the same payment: the
     * idempotency key is made of what is asked for. Throws PaymentCheckoutException.
     */
    public function pageOf(WC_Order $order): string
    {
        $made = self::madeFor($order);
        $total = self::totalOf($order);
        if ($made !== []) {
            $open = $this->stillOpen(end($made), $total);
            if ($open !== null) {
                return $open;
            }
        }
        $asked = $this->asked($order);
        $key = hash('sha256', implode('|', [$order->get_order_key(), count($made), json_encode($asked)]));
        $payment = $this->client->createPayment($asked, "order-$key");
        $order->update_meta_data(self::MADE, [...$made, ['id' => $payment['id'], 'total' => $total]]);
        $order->save_meta_data();
        return $payment['checkout_url'];
    }

    /**
     * Sends money back; with the last of an order's total everything that is left, if the payment was about that
     * total: of an order that has become cheaper since, the rest is not what was asked for. Asked for once more,
     * it is the same refund: the key is made of what had been refunded before, so that an answer that was lost costs
     * nothing. Throws PaymentCheckoutException, and DomainException where there is nothing to refund.
     *
     * @param string $amount in the order's currency; WooCommerce has recorded it already
     * @return array<string, mixed> the refund
     */
    public function refund(WC_Order $order, string $amount, string $reason): array
    {
        $made = self::madeFor($order);
        $id = $order->get_transaction_id() ?: (end($made)['id'] ?? '');
        if ($id === '') {
            throw new \DomainException('the order has no payment of this service');
        }
        $isLast = (float) $order->get_remaining_refund_amount() <= 0
            && self::askedBy($order, $id) === self::totalOf($order);
        $key = hash('sha256', implode('|', [$order->get_order_key(), $id, $order->get_total_refunded(), $amount]));
        $refund = $this->client->refundPayment(
            $id,
            ($isLast ? [] : $this->amountOf($order, $amount, 'amount')) + ($reason === '' ? [] : ['reason' => $reason]),
            "refund-$key",
        );
        $known = (array) ($order->get_meta(self::REFUNDS) ?: []);
        if (in_array($refund['id'], $known, true)) {
            throw new \DomainException("this refund has been asked for already: {$refund['id']}");
        }
        $order->update_meta_data(self::REFUNDS, [...$known, $refund['id']]);
        $order->save_meta_data();
        return $refund;
    }

    /**
     * What proves that an event belongs to the order: several shops may have the same merchant, and orders of
     * the same number. The order's own key opens its pages, so it is not sent.
     */
    public static function proofOf(WC_Order $order): string
    {
        return hash('sha256', 'payment-checkout|' . $order->get_order_key());
    }

    /** What the order costs, such as "10.50 EUR". */
    public static function totalOf(WC_Order $order): string
    {
        return self::decimal($order->get_total()) . ' ' . $order->get_currency();
    }

    /** What a payment of the order asked for; null: the shop knows of none, as where it was killed meanwhile. */
    public static function askedBy(WC_Order $order, string $paymentId): ?string
    {
        return array_column(self::madeFor($order), 'total', 'id')[$paymentId] ?? null;
    }

    /** Whether a newer payment has taken the place of this one. */
    public static function isReplaced(WC_Order $order, string $paymentId): bool
    {
        $made = self::madeFor($order);
        return $made !== [] && end($made)['id'] !== $paymentId;
    }

    /** As the shop writes it; without decimals that say nothing, which some currencies do not have. */
    public static function decimal(string|float|int $amount): string
    {
        return (string) preg_replace('/\.0+\z/', '', wc_format_decimal($amount, wc_get_price_decimals()));
    }

    /** @param array{id: string, total: string} $last */
    private function stillOpen(array $last, string $total): ?string
    {
        $payment = $this->client->getPayment($last['id']);
        if (in_array($payment['status'], ['EXPIRED', 'FAILED', 'REFUNDED'], true)) {
            return null;
        }
        if ($last['total'] === $total || $payment['status'] !== 'WAITING') {
            return $payment['checkout_url'];
        }
        try {
            $this->client->cancelPayment($last['id']);
        } catch (ApiError $refusal) {
            // Money has been seen since it was read: its page says what comes next.
            return $refusal->status === 409 ? $payment['checkout_url'] : throw $refusal;
        }
        return null;
    }

    /** @return array<string, mixed> */
    private function asked(WC_Order $order): array
    {
        $shop = wp_specialchars_decode(get_bloginfo('name'), ENT_QUOTES);
        /* translators: 1: number of an order, 2: name of the shop */
        $text = sprintf(__('Order %1$s at %2$s', 'payment-checkout'), $order->get_order_number(), $shop);
        $mail = (string) $order->get_billing_email();
        return $this->amountOf($order, self::decimal($order->get_total()), 'pay_amount') + [
            'order_id' => (string) $order->get_id(),
            'order_description' => mb_substr($text, 0, self::MAX_DESCRIPTION),
            'callback_url' => WC()->api_request_url(Settings::METHOD),
            'success_url' => $order->get_checkout_order_received_url(),
            'cancel_url' => $order->get_checkout_payment_url(),
            'metadata' => ['shop_order' => self::proofOf($order)],
        ] + ($mail === '' ? [] : ['customer_email' => $mail]);
    }

    /** @return array<string, string> the amount as coins, or as a price that the service converts */
    private function amountOf(WC_Order $order, string $amount, string $name): array
    {
        return $this->isAtPar
            ? [$name => $amount]
            : ['price_amount' => $amount, 'price_currency' => $order->get_currency()];
    }

    /** @return list<array{id: string, total: string}> */
    private static function madeFor(WC_Order $order): array
    {
        $made = $order->get_meta(self::MADE);
        return is_array($made) ? array_values($made) : [];
    }
}
