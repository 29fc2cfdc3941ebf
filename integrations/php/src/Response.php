<?php

declare(strict_types=1);

namespace PaymentCheckout;

/** What a transport received. */
final class Response
{
    /** @param null|string $retryAfter the header of this name */
    public function __construct(
        public readonly int $status,
        public readonly string $body,
        public readonly ?string $retryAfter = null,
    ) {
    }
}
