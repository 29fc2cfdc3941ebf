<?php

declare(strict_types=1);

/** Verifies webhooks (docs/webhooks.md, "Verify"). Needs no package. */

const TOLERANCE_SECONDS = 300;
const MIN_KEY_BYTES = 24;

/** The request is not a recent and unaltered event. Its message is for the log, not for the sender. */
final class Refused extends Exception
{
}

/** A webhook secret: Standard Webhooks' key is the decoded bytes, the other signature's key the whole text. */
final class Secret
{
    public function __construct(public readonly string $text, public readonly string $key)
    {
    }
}

/**
 * Returns the secrets of an environment variable, separated by commas: two while a rotation overlaps. Throws
 * InvalidArgumentException where there is none, or a malformed one.
 *
 * @return list<Secret>
 */
function webhookSecrets(string $configured): array
{
    $texts = array_filter(array_map('trim', explode(',', $configured)), fn (string $text) => $text !== '');
    if ($texts === []) {
        throw new InvalidArgumentException('a webhook secret is needed: set WEBHOOK_SECRET');
    }
    return array_map(function (string $text): Secret {
        $key = str_starts_with($text, 'whsec_') ? base64_decode(substr($text, 6), true) : false;
        if ($key === false || strlen($key) < MIN_KEY_BYTES) {
            throw new InvalidArgumentException('a webhook secret is whsec_ and base64, and not cut off');
        }
        return new Secret($text, $key);
    }, array_values($texts));
}

/**
 * Throws Refused unless `$body`, the bytes as they arrived, was signed with one of the secrets.
 *
 * @param array<string, string> $headers names in lower case
 * @param list<Secret> $secrets
 */
function verify(string $body, array $headers, array $secrets, int $now): void
{
    $timestamp = isset($headers['webhook-signature'])
        ? verifyStandard($body, $headers, $secrets)
        : verifyTimestamped($body, $headers, $secrets);
    // After the signature: who has none learns nothing of this clock.
    $age = $now - (int) $timestamp;
    if ($age > TOLERANCE_SECONDS) {
        throw new Refused('timestamp_too_old');
    }
    if ($age < -TOLERANCE_SECONDS) {
        throw new Refused('timestamp_too_new');
    }
}

/** Standard Webhooks: one signature for each secret in force, over `id.timestamp.body`. */
function verifyStandard(string $body, array $headers, array $secrets): string
{
    $id = one($headers, 'webhook-id', '/\A\S{1,255}\z/');
    $timestamp = one($headers, 'webhook-timestamp', '/\A[0-9]{1,12}\z/');
    foreach ($secrets as $secret) {
        $digest = hash_hmac('sha256', "$id.$timestamp.$body", $secret->key, true);
        foreach (explode(' ', $headers['webhook-signature']) as $given) {
            if (hash_equals('v1,' . base64_encode($digest), $given)) {
                return $timestamp;
            }
        }
    }
    throw new Refused('no_match');
}

/** X-Webhook-Signature: by the newest secret, over `timestamp.body`. */
function verifyTimestamped(string $body, array $headers, array $secrets): string
{
    $signature = one($headers, 'x-webhook-signature', '/\A[0-9a-fA-F]{64}\z/');
    $timestamp = one($headers, 'x-webhook-timestamp', '/\A[0-9]{1,12}\z/');
    foreach ($secrets as $secret) {
        $expected = hash_hmac('sha256', "$timestamp.$body", $secret->text);
        if (hash_equals($expected, strtolower($signature))) {
            return $timestamp;
        }
    }
    throw new Refused('no_match');
}

/** A header that is sent twice arrives with a comma and a space between its values, and does not match. */
function one(array $headers, string $name, string $pattern): string
{
    if (!isset($headers[$name])) {
        throw new Refused('missing_header');
    }
    if (preg_match($pattern, $headers[$name]) !== 1) {
        throw new Refused('malformed_header');
    }
    return $headers[$name];
}
