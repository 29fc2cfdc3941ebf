<?php

declare(strict_types=1);

namespace PaymentCheckout;

/** A webhook secret in both of its uses: X-Webhook-Signature's key is the text, Standard Webhooks' the bytes. */
final class Secret
{
    /** Standard Webhooks asks for 24 to 64 bytes; the service's are 32. A shorter one was cut off. */
    private const MIN_KEY_BYTES = 24;
    /** Base64 that is whole, and written in the one way: decoders skip what is none. */
    private const BASE64 = '~\A(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?\z~';

    private function __construct(public readonly string $text, public readonly string $key)
    {
    }

    /**
     * Reads what is configured, such as the variable WEBHOOK_SECRET: one secret, or several with commas between
     * them, as while a rotation overlaps. Call it at the start: it throws InvalidArgumentException where one is
     * missing or malformed, which otherwise every request would.
     *
     * @return non-empty-list<self>
     */
    public static function read(string $configured): array
    {
        $texts = array_filter(array_map('trim', explode(',', $configured)), fn (string $text) => $text !== '');
        if ($texts === []) {
            throw new \InvalidArgumentException('no webhook can be verified without a secret: set WEBHOOK_SECRET');
        }
        return array_map(self::parse(...), array_values($texts));
    }

    private static function parse(string $text): self
    {
        // Without the value in the message: others can guess the rest of half a one.
        $encoded = substr($text, strlen('whsec_'));
        if (!str_starts_with($text, 'whsec_') || preg_match(self::BASE64, $encoded) !== 1) {
            throw new \InvalidArgumentException(
                'a webhook secret must be whsec_ and base64, and nothing else: copy all of it',
            );
        }
        $key = (string) base64_decode($encoded, true);
        if (strlen($key) < self::MIN_KEY_BYTES) {
            throw new \InvalidArgumentException('a webhook secret has been cut off: copy all of it');
        }
        return new self($text, $key);
    }
}
