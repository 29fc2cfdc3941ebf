<?php

declare(strict_types=1);

namespace PaymentCheckout\WooCommerce;

use PaymentCheckout\Client;

/** What the shop's owner has set. It is there before WooCommerce is, whose classes Gateway needs. */
final class Settings
{
    /** The payment method's id, and the name of its webhook. */
    public const METHOD = 'payment_checkout';

    /** @param array<string, mixed> $options */
    private function __construct(private readonly array $options)
    {
    }

    public static function read(): self
    {
        $options = get_option('woocommerce_' . Settings::METHOD . '_settings', []);
        return new self(is_array($options) ? $options : []);
    }

    public function text(string $name): string
    {
        $value = $this->options[$name] ?? '';
        return is_string($value) ? trim($value) : '';
    }

    /** Whether customers can pay: the method is switched on, and knows its service. */
    public function isReady(): bool
    {
        return $this->text('enabled') === 'yes' && $this->text('base_url') !== '' && $this->text('api_key') !== '';
    }

    /** Whether one of the shop's currency is one of the settlement coin. */
    public function isAtPar(): bool
    {
        return $this->text('pricing') === 'par';
    }

    /** Throws InvalidArgumentException where the settings cannot work. */
    public function client(): Client
    {
        // A customer waits for the answer.
        return new Client($this->text('base_url'), $this->text('api_key'), new WordPressTransport(), retries: 1);
    }
}
