<?php

/* WordPress runs this where the plugin is deleted: its settings hold an API key. Orders keep what was noted. */

declare(strict_types=1);

defined('WP_UNINSTALL_PLUGIN') || exit;

delete_option('woocommerce_payment_checkout_settings');
