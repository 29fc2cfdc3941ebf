<?php

declare(strict_types=1);

namespace PaymentCheckout\WooCommerce;

use PaymentCheckout\ConnectionFailed;
use PaymentCheckout\Response;

/** Sends requests as WordPress does, by the proxy and the certificates of the site. */
final class WordPressTransport
{
    private const TIMEOUT_SECONDS = 20;

    /** @param array<string, string> $headers */
    public function __invoke(string $method, string $url, array $headers, ?string $body): Response
    {
        $answer = wp_remote_request($url, [
            'method' => $method,
            'headers' => $headers,
            'body' => $body,
            'timeout' => self::TIMEOUT_SECONDS,
            // The key is for the service alone.
            'redirection' => 0,
        ]);
        if (is_wp_error($answer)) {
            throw new ConnectionFailed("$method " . parse_url($url, PHP_URL_PATH) . ": {$answer->get_error_message()}");
        }
        $retryAfter = wp_remote_retrieve_header($answer, 'retry-after');
        return new Response(
            (int) wp_remote_retrieve_response_code($answer),
            wp_remote_retrieve_body($answer),
            is_string($retryAfter) && $retryAfter !== '' ? $retryAfter : null,
        );
    }
}
