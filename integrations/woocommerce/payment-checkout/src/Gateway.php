<?php

declare(strict_types=1);

namespace PaymentCheckout\WooCommerce;

use PaymentCheckout\Client;
use PaymentCheckout\PaymentCheckoutException;
use PaymentCheckout\Secret;
use WC_Payment_Gateway;

/** The payment method of the shop: its settings, the way to the page of the service, and refunds. */
final class Gateway extends WC_Payment_Gateway
{
    public function __construct()
    {
        $this->id = Settings::METHOD;
        $this->has_fields = false;
        $this->supports = ['products', 'refunds'];
        $this->method_title = __('Payment checkout', 'payment-checkout');
        $this->method_description = __('Customers pay in cryptocurrency.', 'payment-checkout');
        $this->init_form_fields();
        $this->init_settings();
        $this->title = $this->get_option('title');
        $this->description = $this->get_option('description');
        add_action("woocommerce_update_options_payment_gateways_{$this->id}", [$this, 'process_admin_options']);
    }

    public function init_form_fields(): void
    {
        $field = static fn (string $title, string $type, string $default, string $about = ''): array => [
            'title' => $title,
            'type' => $type,
            'default' => $default,
            'description' => $about,
        ];
        $this->form_fields = [
            'enabled' => $field(__('Enabled', 'payment-checkout'), 'checkbox', 'no')
                + ['label' => __('Take payments in cryptocurrency', 'payment-checkout')],
            'title' => $field(__('Title', 'payment-checkout'), 'text', __('Cryptocurrency', 'payment-checkout')),
            'description' => $field(
                __('Description', 'payment-checkout'),
                'textarea',
                __('You choose the coin on the next page.', 'payment-checkout'),
            ),
            'base_url' => $field(
                __('Address of the service', 'payment-checkout'),
                'text',
                '',
                __('Such as https://pay.example: what stands before /v1.', 'payment-checkout'),
            ),
            'api_key' => $field(
                __('API key', 'payment-checkout'),
                'password',
                '',
                __('Its permissions: payments:read, payments:write, refunds:write.', 'payment-checkout'),
            ),
            'webhook_secret' => $field(
                __('Webhook secret', 'payment-checkout'),
                'password',
                '',
                // translators: %s: a URL
                sprintf(__('The webhooks go to %s.', 'payment-checkout'), WC()->api_request_url(Settings::METHOD)),
            ),
            'pricing' => $field(__('Prices', 'payment-checkout'), 'select', 'price') + ['options' => [
                'price' => __('The service converts them to its coin', 'payment-checkout'),
                'par' => __('One of the currency is one of the settlement coin', 'payment-checkout'),
            ]],
        ];
    }

    /** WooCommerce shows the message of what this throws, and keeps what was set before. */
    public function validate_webhook_secret_field(string $key, ?string $value): string
    {
        return implode(',', array_map(static fn (Secret $secret) => $secret->text, Secret::read((string) $value)));
    }

    public function validate_api_key_field(string $key, ?string $value): string
    {
        new Client('https://pay.example', (string) $value);
        return trim((string) $value);
    }

    public function validate_base_url_field(string $key, ?string $value): string
    {
        new Client((string) $value, 'sk_test');
        return trim((string) $value);
    }

    public function is_available(): bool
    {
        return parent::is_available() && Settings::read()->isReady();
    }

    /**
     * The classic checkout, the block and the page that pays an order later all call this.
     *
     * @param int|string $order_id
     * @return array{result: string, redirect?: string}
     */
    public function process_payment($order_id): array
    {
        $order = wc_get_order((int) $order_id);
        try {
            return ['result' => 'success', 'redirect' => $this->payments()->pageOf($order)];
        } catch (PaymentCheckoutException | \InvalidArgumentException $fault) {
            wc_get_logger()->error("order $order_id: {$fault->getMessage()}", ['source' => 'payment-checkout']);
            $text = __('Paying in cryptocurrency is not possible right now. Please try again.', 'payment-checkout');
            wc_add_notice($text, 'error');
            return ['result' => 'failure'];
        }
    }

    /**
     * The button of the order page.
     *
     * @param int|string $order_id
     * @param null|string|float $amount in the order's currency
     * @param string $reason
     * @return true|\WP_Error
     */
    public function process_refund($order_id, $amount = null, $reason = '')
    {
        $order = wc_get_order((int) $order_id);
        try {
            $asked = Payments::decimal($amount ?? $order->get_total());
            $refund = $this->payments()->refund($order, $asked, (string) $reason);
        } catch (PaymentCheckoutException | \DomainException | \InvalidArgumentException $fault) {
            return new \WP_Error('payment_checkout_refund', $fault->getMessage());
        }
        $order->add_order_note(sprintf(
            // translators: 1: id, 2: amount, 3: coin, 4: status
            __('Refund %1$s of %2$s %3$s: %4$s.', 'payment-checkout'),
            $refund['id'],
            $refund['amount'],
            $refund['currency'],
            $refund['status'] === 'NEEDS_ADDRESS'
                ? __('the customer is asked for an address', 'payment-checkout')
                : $refund['status'],
        ));
        return true;
    }

    private function payments(): Payments
    {
        $settings = Settings::read();
        return new Payments($settings->client(), $settings->isAtPar());
    }
}
