<?php

declare(strict_types=1);

namespace PaymentCheckout;

/** Verifies webhooks (docs/webhooks.md, "Verify"); integrations/vectors.json holds the rules for all languages. */
final class Webhook
{
    public const DEFAULT_TOLERANCE_SECONDS = 300;
    public const MAX_BODY_BYTES = 1_000_000;
    /** The service sends one signature for each secret. A stranger's thousand would be work. */
    private const MAX_SIGNATURES = 20;

    /**
     * Returns the event of the request that PHP is answering. For one that no secret signed it sets the status of
     * the response to 401, and throws Refused.
     *
     * @return array<string, mixed>
     */
    public static function receive(string $secrets): array
    {
        // The signatures cover these bytes: a parsed body, written again, would be others.
        $body = (string) file_get_contents('php://input', length: self::MAX_BODY_BYTES + 1);
        try {
            if (strlen($body) > self::MAX_BODY_BYTES) {
                throw new Refused('body_not_json', 'it is larger than any event');
            }
            return self::verify($body, self::headers($_SERVER), $secrets);
        } catch (Refused $refusal) {
            http_response_code(401);
            throw $refusal;
        }
    }

    /**
     * Returns the event of a request that one of the secrets signed, and throws Refused for any other. Where
     * webhook-signature is present, only the headers of Standard Webhooks count: both secrets sign them during a
     * rotation. An event of a type that is added later passes. Throws InvalidArgumentException for what no
     * request can cause, such as a malformed secret.
     *
     * @param string $body the bytes as they arrived, before any parser
     * @param array<string, string|list<string>> $headers names in any case
     * @param string $secrets one, or several with commas between them
     * @return array<string, mixed>
     */
    public static function verify(
        string $body,
        array $headers,
        string $secrets,
        int $toleranceSeconds = self::DEFAULT_TOLERANCE_SECONDS,
        ?float $now = null,
    ): array {
        if ($toleranceSeconds < 0) {
            throw new \InvalidArgumentException('toleranceSeconds must be 0 or more');
        }
        $known = Secret::read($secrets);
        $given = self::byName($headers);
        $timestamp = isset($given['webhook-signature'])
            ? self::verifyStandard($body, $given, $known)
            : self::verifyTimestamped($body, $given, $known);
        // After the signature: who has none learns nothing of this clock.
        $age = ($now ?? microtime(true)) - (int) $timestamp;
        if ($age > $toleranceSeconds) {
            throw new Refused('timestamp_too_old', sprintf('it was sent %.0f s ago', $age));
        }
        if ($age < -$toleranceSeconds) {
            throw new Refused('timestamp_too_new', sprintf('it was sent %.0f s ahead of this clock', -$age));
        }
        return self::readEvent($body);
    }

    /**
     * The headers of a request, as servers hand them to PHP.
     *
     * @param array<string, mixed> $server such as $_SERVER
     * @return array<string, string>
     */
    public static function headers(array $server): array
    {
        $headers = [];
        foreach ($server as $name => $value) {
            if (str_starts_with((string) $name, 'HTTP_') && is_string($value)) {
                $headers[strtolower(strtr(substr($name, strlen('HTTP_')), '_', '-'))] = $value;
            }
        }
        return $headers;
    }

    /**
     * @param array<string, string|list<string>> $headers
     * @return array<string, list<string>> all values of each header that has any, by its name in lower case
     */
    private static function byName(array $headers): array
    {
        $found = [];
        foreach ($headers as $name => $values) {
            foreach ((array) $values as $value) {
                $found[strtolower((string) $name)][] = $value;
            }
        }
        return $found;
    }

    /**
     * Standard Webhooks: one signature for each secret in force, over id.timestamp.body.
     *
     * @param array<string, list<string>> $headers
     * @param list<Secret> $secrets
     */
    private static function verifyStandard(string $body, array $headers, array $secrets): string
    {
        $id = self::one($headers, 'webhook-id', '/\A\S{1,255}\z/');
        $timestamp = self::one($headers, 'webhook-timestamp', '/\A[0-9]{1,12}\z/');
        $given = explode(' ', implode(' ', $headers['webhook-signature']));
        $ofVersion = fn (string $version) => array_filter($given, fn (string $one) => str_starts_with($one, $version));
        if ($ofVersion('v1,') === [] && $ofVersion('v1a,') === []) {
            throw new Refused('malformed_header', 'webhook-signature holds no signature of version 1');
        }
        $signatures = array_slice($ofVersion('v1,'), 0, self::MAX_SIGNATURES);
        foreach ($secrets as $secret) {
            $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $secret->key, true));
            foreach ($signatures as $signature) {
                if (hash_equals($expected, $signature)) {
                    return $timestamp;
                }
            }
        }
        throw new Refused('no_match', 'no signature fits the body and any of the secrets');
    }

    /**
     * X-Webhook-Signature: by the newest secret, over timestamp.body.
     *
     * @param array<string, list<string>> $headers
     * @param list<Secret> $secrets
     */
    private static function verifyTimestamped(string $body, array $headers, array $secrets): string
    {
        $signature = strtolower(self::one($headers, 'x-webhook-signature', '/\A[0-9a-fA-F]{64}\z/'));
        $timestamp = self::one($headers, 'x-webhook-timestamp', '/\A[0-9]{1,12}\z/');
        foreach ($secrets as $secret) {
            if (hash_equals(hash_hmac('sha256', "$timestamp.$body", $secret->text), $signature)) {
                return $timestamp;
            }
        }
        throw new Refused('no_match', 'the signature fits none of the secrets');
    }

    /**
     * The header's value. Throws Refused where it is missing, is there twice, or does not match.
     *
     * @param array<string, list<string>> $headers
     */
    private static function one(array $headers, string $name, string $pattern): string
    {
        $values = $headers[$name] ?? throw new Refused('missing_header', "the header $name is missing");
        if (count($values) > 1 || preg_match($pattern, $values[0]) !== 1) {
            throw new Refused('malformed_header', "the header $name is malformed, or there more than once");
        }
        return $values[0];
    }

    /** @return array<string, mixed> */
    private static function readEvent(string $body): array
    {
        try {
            $event = json_decode($body, true, 512, JSON_THROW_ON_ERROR);
        } catch (\JsonException $fault) {
            throw new Refused('body_not_json', 'it is signed, but the body is not JSON in UTF-8');
        }
        if (!is_array($event) || !is_string($event['id'] ?? null) || !is_string($event['type'] ?? null)) {
            throw new Refused('body_not_event', 'it is signed, but the body has no id or no type');
        }
        return $event;
    }
}
