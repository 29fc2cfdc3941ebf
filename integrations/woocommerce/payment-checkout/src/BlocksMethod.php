<?php

declare(strict_types=1);

namespace PaymentCheckout\WooCommerce;

use Automattic\WooCommerce\Blocks\Payments\Integrations\AbstractPaymentMethodType;

/** The payment method in the checkout block: what assets/blocks.js shows. */
final class BlocksMethod extends AbstractPaymentMethodType
{
    protected $name = Settings::METHOD;

    public function __construct(private readonly string $pluginFile)
    {
    }

    public function initialize(): void
    {
    }

    public function is_active(): bool
    {
        return Settings::read()->isReady();
    }

    /** @return list<string> */
    public function get_payment_method_script_handles(): array
    {
        wp_register_script(
            'payment-checkout-blocks',
            plugins_url('assets/blocks.js', $this->pluginFile),
            ['wc-blocks-registry', 'wc-settings', 'wp-element', 'wp-html-entities'],
            '0.1.0',
            true,
        );
        return ['payment-checkout-blocks'];
    }

    /** @return array<string, mixed> what everybody may read: no key is among it */
    public function get_payment_method_data(): array
    {
        $gateway = new Gateway();
        return [
            'title' => $gateway->title,
            'description' => $gateway->description,
            'supports' => $gateway->supports,
        ];
    }
}
