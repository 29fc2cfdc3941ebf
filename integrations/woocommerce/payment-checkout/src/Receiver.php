<?php

declare(strict_types=1);

namespace PaymentCheckout\WooCommerce;

use PaymentCheckout\Client;
use PaymentCheckout\Once;
use PaymentCheckout\Refused;
use PaymentCheckout\Webhook;

/** Receives the webhooks of the service. */
final class Receiver
{
    private const REFUSED = 'payment_checkout_refused';

    /** @param callable(): Client $client made where an event is missing */
    private function __construct(private readonly string $secrets, private readonly \Closure $client)
    {
    }

    public static function configured(): self
    {
        $settings = Settings::read();
        return new self($settings->text('webhook_secret'), static fn (): Client => $settings->client());
    }

    /**
     * Returns the status of the response: 401 for what is not from the service, 500 for what is to come again.
     *
     * @param array<string, string> $headers
     */
    public function answer(string $body, array $headers): int
    {
        try {
            $event = Webhook::verify($body, $headers, $this->secrets);
            return $this->handle($event);
        } catch (Refused $refusal) {
            return self::refuse($refusal);
        } catch (UnknownOrder $unknown) {
            // Of another shop of the merchant, or of a test: it would not become ours by coming again.
            return self::say('info', "an event is left alone: {$unknown->getMessage()}", 200);
        } catch (\Throwable $fault) {
            return self::say('error', "an event was not handled, and comes again: {$fault->getMessage()}", 500);
        }
    }

    /** @param array<string, mixed> $event */
    private function handle(array $event): int
    {
        $orderId = $event['metadata']['orderId'] ?? '';
        if (!is_string($orderId) || !ctype_digit($orderId)) {
            throw new UnknownOrder("{$event['id']} names no order of WooCommerce");
        }
        $store = new OrderStore((int) $orderId, (string) ($event['metadata']['shop_order'] ?? ''));
        Once::handle(
            $store,
            $event,
            static fn (array $one) => OrderEvents::apply($store->order(), $one),
            fn (string $paymentId): iterable => $this->eventsOf($paymentId),
        );
        return 200;
    }

    /** @return \Generator<array<string, mixed>> */
    private function eventsOf(string $paymentId): \Generator
    {
        $client = ($this->client)();
        return $client->items(
            static fn (?string $cursor): array => $client->listPaymentEvents($paymentId, cursor: $cursor),
        );
    }

    /** Anybody can send what is refused: it is logged once a minute, so that nobody fills the disk. */
    private static function refuse(Refused $refusal): int
    {
        if (get_transient(self::REFUSED) !== false) {
            return 401;
        }
        set_transient(self::REFUSED, 'logged', MINUTE_IN_SECONDS);
        return self::say('warning', "a webhook was refused: {$refusal->getMessage()}", 401);
    }

    private static function say(string $level, string $message, int $status): int
    {
        wc_get_logger()->log($level, $message, ['source' => 'payment-checkout']);
        return $status;
    }
}
