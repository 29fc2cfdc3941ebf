<?php

declare(strict_types=1);

namespace PaymentCheckout;

/** The service, or something before it, answered with an error; the message is the service's sentence. */
final class ApiError extends PaymentCheckoutException
{
    public readonly ?string $requestId;
    /** @var null|array{field: string, constraint: string} on validation errors only */
    public readonly ?array $details;

    /** @param array<string, mixed> $body */
    public function __construct(public readonly int $status, array $body, public readonly ?int $retryAfter)
    {
        $message = $body['message'] ?? null;
        parent::__construct(is_string($message) ? $message : "$status, not from the service");
        $this->requestId = is_string($body['request_id'] ?? null) ? $body['request_id'] : null;
        $this->details = is_array($body['details'] ?? null) ? $body['details'] : null;
    }
}
