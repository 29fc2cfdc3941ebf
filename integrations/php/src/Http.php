<?php

declare(strict_types=1);

namespace PaymentCheckout;

/** What the client's methods send with. */
abstract class Http
{
    /** What failed and may succeed later. A request that was refused for what it says is not among them. */
    private const RETRIED = [429, 500, 502, 503, 504];
    /** Who asks for a longer wait is not waited for. */
    private const MAX_WAIT_SECONDS = 10;

    private readonly string $baseUrl;
    private readonly string $apiKey;
    /** @var callable(string, string, array<string, string>, ?string): Response */
    private $transport;
    /** @var callable(float): void */
    private $sleep;

    /**
     * Throws InvalidArgumentException for what cannot work.
     *
     * @param string $baseUrl what stands before /v1, such as https://pay.example
     * @param null|callable(string, string, array<string, string>, ?string): Response $transport method, URL,
     *     headers and body; it follows no redirects, and throws ConnectionFailed. Default: StreamTransport
     * @param null|callable(float): void $sleep waits so many seconds; for tests
     */
    public function __construct(
        string $baseUrl,
        #[\SensitiveParameter] string $apiKey,
        ?callable $transport = null,
        private readonly int $retries = 3,
        ?callable $sleep = null,
    ) {
        $this->baseUrl = rtrim(trim($baseUrl), '/');
        $parts = parse_url($this->baseUrl) ?: [];
        $isPlain = array_diff(array_keys($parts), ['scheme', 'host', 'port', 'path']) === [];
        if (!$isPlain || !isset($parts['host']) || !in_array($parts['scheme'] ?? '', ['http', 'https'], true)) {
            throw new \InvalidArgumentException('baseUrl must be an http(s) URL, such as https://pay.example');
        }
        if (preg_match('~/v1(/|\z)~', $parts['path'] ?? '') === 1) {
            throw new \InvalidArgumentException('baseUrl must end before /v1');
        }
        $this->apiKey = trim($apiKey);
        // Without the value in the message: it may be a key with a line feed inside.
        if (preg_match('/\Ask_[\x21-\x7e]+\z/', $this->apiKey) !== 1) {
            throw new \InvalidArgumentException('apiKey must be an API key: it begins with sk_');
        }
        $this->transport = $transport ?? new StreamTransport();
        $this->sleep = $sleep ?? static fn (float $seconds) => usleep((int) ($seconds * 1_000_000));
    }

    /** @return array<string, mixed> without the key, for var_dump */
    public function __debugInfo(): array
    {
        return ['baseUrl' => $this->baseUrl];
    }

    /**
     * All items of a list, page after page:
     * `$client->items(fn (?string $cursor) => $client->listPayments(cursor: $cursor))`.
     *
     * @param callable(?string): array<string, mixed> $read
     * @return \Generator<array<string, mixed>>
     */
    public function items(callable $read): \Generator
    {
        $cursor = null;
        do {
            $page = $read($cursor);
            foreach ($page['data'] as $item) {
                yield $item;
            }
            ['has_more' => $hasMore, 'next_cursor' => $cursor] = $page['pagination'];
        } while ($hasMore);
    }

    /**
     * Sends a request until there is a response; all attempts of a POST have one key, hence one effect.
     *
     * @param array<string, mixed> $query
     * @param null|array<string, mixed> $body
     * @param null|array{string, string} $file media type and bytes
     * @return array<string, mixed>
     */
    protected function send(
        string $method,
        string $path,
        array $query = [],
        ?array $body = null,
        ?array $file = null,
        ?string $idempotencyKey = null,
    ): array {
        $headers = ['Accept' => 'application/json', 'X-API-Key' => $this->apiKey];
        [$type, $bytes] = $file ?? ['application/json', $body === null ? null : self::json($body)];
        if ($bytes !== null) {
            $headers['Content-Type'] = $type;
        }
        if ($method === 'POST') {
            $headers['Idempotency-Key'] = $idempotencyKey ?? bin2hex(random_bytes(16));
        }
        $url = $this->baseUrl . $path . self::queryOf($query);
        for ($attempt = 0;; $attempt++) {
            try {
                return self::read(($this->transport)($method, $url, $headers, $bytes));
            } catch (PaymentCheckoutException $fault) {
                $wait = self::waitAfter($fault, $attempt);
                if ($wait === null || $attempt === $this->retries) {
                    throw $fault;
                }
                ($this->sleep)($wait);
            }
        }
    }

    /** An id as a part of a path. What is none could name another path. */
    protected static function id(string $value): string
    {
        if (preg_match('/\A\w+\z/', $value) !== 1) {
            throw new \InvalidArgumentException('an id has letters, digits and underscores only');
        }
        return $value;
    }

    /** @param array<string, mixed> $body */
    private static function json(array $body): string
    {
        return json_encode((object) $body, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION);
    }

    /**
     * Several values are separated by commas.
     *
     * @param array<string, mixed> $query
     */
    private static function queryOf(array $query): string
    {
        $given = array_map(
            fn (mixed $value) => is_bool($value) ? ($value ? 'true' : 'false') : implode(',', (array) $value),
            array_filter($query, fn (mixed $value) => $value !== null),
        );
        return $given === [] ? '' : '?' . http_build_query($given);
    }

    /** @return array<string, mixed> */
    private static function read(Response $response): array
    {
        $body = json_decode($response->body, true);
        if ($response->status >= 200 && $response->status < 300 && is_array($body)) {
            return $body;
        }
        $isSeconds = preg_match('/\A\d{1,9}\z/', $response->retryAfter ?? '') === 1;
        $retryAfter = $isSeconds ? (int) $response->retryAfter : null;
        throw new ApiError($response->status, is_array($body) ? $body : [], $retryAfter);
    }

    /** Seconds before the next attempt; null: the error is final. */
    private static function waitAfter(PaymentCheckoutException $fault, int $attempt): ?float
    {
        if ($fault instanceof ApiError) {
            // A network without a client of its own gets none by waiting.
            $isFinal = !in_array($fault->status, self::RETRIED, true)
                || str_starts_with($fault->getMessage(), 'network_unavailable');
            if ($isFinal || ($fault->retryAfter ?? 0) > self::MAX_WAIT_SECONDS) {
                return null;
            }
            if ($fault->retryAfter !== null) {
                return (float) $fault->retryAfter;
            }
        }
        return 0.5 * 2 ** $attempt;
    }
}
