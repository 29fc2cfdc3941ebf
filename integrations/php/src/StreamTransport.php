<?php

declare(strict_types=1);

namespace PaymentCheckout;

/** Sends requests with PHP's own streams; `allow_url_fopen` must be on, and https needs the extension openssl. */
final class StreamTransport
{
    private const MAX_RESPONSE_BYTES = 64_000_000;

    public function __construct(private readonly float $timeoutSeconds = 30.0)
    {
    }

    /**
     * Returns the response, whatever its status. Follows no redirect: it would take the key elsewhere. Throws
     * ConnectionFailed where there is none.
     *
     * @param array<string, string> $headers
     */
    public function __invoke(string $method, string $url, array $headers, ?string $body): Response
    {
        $lines = array_map(fn (string $name, string $value) => "$name: $value", array_keys($headers), $headers);
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => $lines,
            'content' => $body ?? '',
            'timeout' => $this->timeoutSeconds,
            'ignore_errors' => true,
            'follow_location' => 0,
            'protocol_version' => 1.1,
        ]]);
        $stream = @fopen($url, 'rb', false, $context);
        if ($stream === false) {
            throw new ConnectionFailed("$method " . parse_url($url, PHP_URL_PATH) . ': the service cannot be reached');
        }
        try {
            $text = stream_get_contents($stream, self::MAX_RESPONSE_BYTES);
            $about = stream_get_meta_data($stream);
        } finally {
            fclose($stream);
        }
        if ($text === false || $about['timed_out']) {
            throw new ConnectionFailed("$method " . parse_url($url, PHP_URL_PATH) . ': no response in time');
        }
        return self::read($about['wrapper_data'] ?? [], $text);
    }

    /** @param list<string> $lines */
    private static function read(array $lines, string $body): Response
    {
        [$status, $retryAfter] = [0, null];
        foreach ($lines as $line) {
            // The last one counts: a proxy may have answered before.
            if (preg_match('~\AHTTP/\S+ (\d{3})~', $line, $found) === 1) {
                $status = (int) $found[1];
            } elseif (preg_match('~\Aretry-after:\s*(.*?)\s*\z~i', $line, $found) === 1) {
                $retryAfter = $found[1];
            }
        }
        return new Response($status, $body, $retryAfter);
    }
}
