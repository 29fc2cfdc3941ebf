<?php

/**
 * Plugin Name: Payment checkout for WooCommerce
 * Description: Customers pay in cryptocurrency on the page of your payment checkout service.
 * Version: 0.1.0
 * Requires at least: 6.4
 * Requires PHP: 8.1
 * Requires Plugins: woocommerce
 * WC requires at least: 8.2
 * WC tested up to: 8.2
 * Text Domain: payment-checkout
 * License: All rights reserved
 */

declare(strict_types=1);

namespace PaymentCheckout\WooCommerce;

use Automattic\WooCommerce\Utilities\FeaturesUtil;
use PaymentCheckout\Webhook;

defined('ABSPATH') || exit;

// The package for PHP: in the plugin, as it is shipped, or beside it, as in the repository.
$shipped = __DIR__ . '/php/autoload.php';
require is_file($shipped) ? $shipped : __DIR__ . '/../../php/autoload.php';

spl_autoload_register(static function (string $class): void {
    $file = __DIR__ . '/src/' . substr($class, strlen(__NAMESPACE__) + 1) . '.php';
    if (str_starts_with($class, __NAMESPACE__ . '\\') && is_file($file)) {
        require $file;
    }
});

/** Orders are read and written through WooCommerce alone, wherever it keeps them. */
add_action('before_woocommerce_init', static function (): void {
    if (class_exists(FeaturesUtil::class)) {
        FeaturesUtil::declare_compatibility('custom_order_tables', __FILE__, true);
        FeaturesUtil::declare_compatibility('cart_checkout_blocks', __FILE__, true);
    }
});

add_filter('woocommerce_payment_gateways', static fn (array $gateways): array => [...$gateways, Gateway::class]);

add_action('woocommerce_blocks_payment_method_type_registration', static function (object $registry): void {
    $registry->register(new BlocksMethod(__FILE__));
});

/** The webhook: /wc-api/payment_checkout/. */
add_action('woocommerce_api_' . Settings::METHOD, static function (): void {
    $body = (string) file_get_contents('php://input', length: Webhook::MAX_BODY_BYTES + 1);
    $status = strlen($body) > Webhook::MAX_BODY_BYTES
        ? 413
        : Receiver::configured()->answer($body, Webhook::headers(wp_unslash($_SERVER)));
    status_header($status);
    exit;
});
