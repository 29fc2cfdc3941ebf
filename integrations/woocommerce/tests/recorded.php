<?php

/*
 * What the plugin uses of WordPress 6.4 and of the functions of WooCommerce 8.2, in the small: names, parameters and
 * effects as they are documented, written for these tests. tests/real.php runs the plugin in the real ones.
 */

declare(strict_types=1);

const ABSPATH = '/';
const DB_NAME = 'shop';
const MINUTE_IN_SECONDS = 60;

/** What the site holds, and what happens to it. */
final class Site
{
    public static array $options = [];
    public static array $orders = [];
    public static array $notices = [];
    public static array $log = [];
    public static array $hooks = [];
    /** Requests that were sent, and what answers each: status and body. */
    public static array $sent = [];
    public static array $answers = [];
    public static bool $isLocked = false;

    public static function reset(array $settings = []): void
    {
        self::$options = ['woocommerce_payment_checkout_settings' => $settings + [
            'enabled' => 'yes',
            'title' => 'Coins',
            'base_url' => 'https://pay.example',
            'api_key' => 'sk_test_abc',
            'webhook_secret' => 'whsec_' . base64_encode(str_repeat('s', 32)),
            'pricing' => 'price',
        ]];
        [self::$orders, self::$notices, self::$log, self::$sent, self::$answers] = [[], [], [], [], []];
        self::$isLocked = false;
    }
}

function add_action(string $name, callable $work): void
{
    Site::$hooks[$name] = $work;
}

function add_filter(string $name, callable $work): void
{
    Site::$hooks[$name] = $work;
}

function __(string $text, string $domain): string
{
    return $text;
}

function get_option(string $name, mixed $default = false): mixed
{
    return Site::$options[$name] ?? $default;
}

function get_transient(string $name): mixed
{
    return Site::$options["_transient_$name"] ?? false;
}

function set_transient(string $name, mixed $value, int $seconds): bool
{
    Site::$options["_transient_$name"] = $value;
    return true;
}

function get_bloginfo(string $what): string
{
    return 'Tom &amp; Co';
}

function wp_specialchars_decode(string $text, int $flags): string
{
    return htmlspecialchars_decode($text, $flags);
}

if (!function_exists('mb_substr')) {
    // WordPress has one of its own where the extension is missing.
    function mb_substr(string $text, int $from, int $count): string
    {
        return implode('', array_slice(mb_str_split_utf8($text), $from, $count));
    }

    function mb_str_split_utf8(string $text): array
    {
        return preg_split('//u', $text, -1, PREG_SPLIT_NO_EMPTY) ?: [];
    }
}

final class WP_Error
{
    public function __construct(public string $code, public string $message)
    {
    }

    public function get_error_message(): string
    {
        return $this->message;
    }
}

function is_wp_error(mixed $value): bool
{
    return $value instanceof WP_Error;
}

function wp_remote_request(string $url, array $request): array|WP_Error
{
    Site::$sent[] = ['url' => $url] + $request;
    return array_shift(Site::$answers) ?? new WP_Error('http', 'nobody answers');
}

function wp_remote_retrieve_header(array $answer, string $name): string
{
    return $answer['headers'][$name] ?? '';
}

function wp_remote_retrieve_response_code(array $answer): int|string
{
    return $answer['status'];
}

function wp_remote_retrieve_body(array $answer): string
{
    return $answer['body'];
}

function wc_add_notice(string $text, string $type): void
{
    Site::$notices[] = "$type: $text";
}

function wc_get_price_decimals(): int
{
    return 2;
}

function wc_format_decimal(string|float|int $number, int $decimals): string
{
    return number_format((float) $number, $decimals, '.', '');
}

function wc_get_logger(): object
{
    return new class () {
        public function log(string $level, string $message, array $context): void
        {
            Site::$log[] = "$level: $message";
        }

        public function error(string $message, array $context): void
        {
            $this->log('error', $message, $context);
        }
    };
}

function WC(): object
{
    return new class () {
        public function api_request_url(string $name): string
        {
            return "https://shop.example/wc-api/$name/";
        }
    };
}

function wc_get_order(int $id): WC_Order|false
{
    return isset(Site::$orders[$id]) ? unserialize(serialize(Site::$orders[$id])) : false;
}

/** A named lock of the database. */
$GLOBALS['wpdb'] = new class () {
    public string $prefix = 'wp_';

    public function prepare(string $text, string|int ...$values): string
    {
        return vsprintf(str_replace('%s', "'%s'", $text), $values);
    }

    public function get_var(string $text): string
    {
        if (str_starts_with($text, 'SELECT GET_LOCK(')) {
            return Site::$isLocked ? '0' : (string) (int) (Site::$isLocked = true);
        }
        Site::$isLocked = false;
        return '1';
    }
};
