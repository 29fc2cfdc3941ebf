<?php

/*
 * Acts in a real WordPress that has WooCommerce: php real.php <its folder> <action> [JSON]; prints JSON. It is for
 * a WordPress of tests alone: it sets options, and makes products and orders.
 */

declare(strict_types=1);

use Automattic\WooCommerce\Utilities\FeaturesUtil;
use Automattic\WooCommerce\Utilities\OrderUtil;
use PaymentCheckout\WooCommerce\OrderStore;

PHP_SAPI === 'cli' || exit;
$_SERVER['HTTP_HOST'] = preg_replace('~\Ahttps?://~', '', (string) getenv('WORDPRESS_URL'));
$_SERVER['REQUEST_METHOD'] = 'GET';
require "$argv[1]/wp-load.php";
require_once ABSPATH . 'wp-admin/includes/plugin.php';
// Now: WordPress has variables of these names.
[, , $action, $given] = $argv + [3 => '{}'];
$given = json_decode($given, true, 32, JSON_THROW_ON_ERROR);
const PLUGIN = 'payment-checkout/payment-checkout.php';

echo json_encode(match ($action) {
    'install' => install($given),
    'prepare' => prepare(),
    'order' => order(),
    'state' => state(wc_get_order($given['id'])),
    'refund' => refund($given['id'], $given['amount']),
    'hold' => hold($given['id']),
    'waiting' => waiting(),
}, JSON_THROW_ON_ERROR), "\n";

/** Activates the plugin, and sets what its page of settings sets. */
function install(array $settings): array
{
    update_option('woocommerce_custom_orders_table_enabled', $settings['hpos'] ? 'yes' : 'no');
    update_option('woocommerce_currency', 'USD');
    update_option('woocommerce_coming_soon', 'no');
    unset($settings['hpos']);
    update_option('woocommerce_payment_checkout_settings', ['enabled' => 'yes', 'title' => 'Coins'] + $settings);
    $fault = activate_plugin(PLUGIN);
    return ['fault' => is_wp_error($fault) ? $fault->get_error_message() : null];
}

/** A product to buy, and what WooCommerce makes of the plugin. */
function prepare(): array
{
    $product = new WC_Product_Simple();
    $product->set_name('Shirt');
    $product->set_regular_price('25.00');
    $product->set_virtual(true);
    $product->save();
    $block = '<div class="wp-block-woocommerce-checkout is-loading"></div>';
    $blocks = page("<!-- wp:woocommerce/checkout -->$block<!-- /wp:woocommerce/checkout -->");
    update_option('woocommerce_checkout_page_id', $blocks);
    return [
        'product' => $product->get_id(),
        'classic' => page('[woocommerce_checkout]'),
        'blocks' => $blocks,
        'hpos' => OrderUtil::custom_orders_table_usage_is_enabled(),
        'compatible' => FeaturesUtil::get_compatible_features_for_plugin(PLUGIN)['compatible'],
        'gateways' => array_keys(WC()->payment_gateways()->get_available_payment_gateways()),
        'version' => WC()->version,
        'wordpress' => get_bloginfo('version'),
    ];
}

function page(string $content): int
{
    $page = ['post_type' => 'page', 'post_status' => 'publish', 'post_title' => 'Checkout'];
    return wp_insert_post($page + ['post_content' => $content]);
}

function order(): array
{
    $order = wc_create_order();
    $item = new WC_Order_Item_Fee();
    $item->set_name('Shirt');
    $item->set_total('25.00');
    $order->add_item($item);
    $order->set_billing_email('ann@example.com');
    $order->set_payment_method('payment_checkout');
    $order->calculate_totals();
    $order->save();
    $gateway = WC()->payment_gateways()->payment_gateways()['payment_checkout'];
    return ['id' => $order->get_id()] + $gateway->process_payment($order->get_id());
}

function state(WC_Order $order): array
{
    return [
        'status' => $order->get_status(),
        'transaction' => $order->get_transaction_id(),
        'refunded' => $order->get_total_refunded(),
        'notes' => array_map(
            static fn (object $note): string => $note->content,
            array_reverse(wc_get_order_notes(['order_id' => $order->get_id()])),
        ),
    ];
}

/** As the button of the order page does it. */
function refund(int $id, string $amount): array
{
    $refund = wc_create_refund(['order_id' => $id, 'amount' => $amount, 'reason' => 'broken', 'refund_payment' => true]);
    return (is_wp_error($refund) ? ['fault' => $refund->get_error_message()] : []) + state(wc_get_order($id));
}

/** Holds the lock of an order, as a delivery does, until the process is ended. */
function hold(int $id): never
{
    (new OrderStore($id, ''))->transaction(static function (): void {
        echo "held\n";
        sleep(60);
    });
    exit;
}

/** How many deliveries wait for a lock. */
function waiting(): array
{
    global $wpdb;
    $text = "SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User lock'";
    return ['count' => (int) $wpdb->get_var($text)];
}
