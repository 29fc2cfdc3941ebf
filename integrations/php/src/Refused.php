<?php

declare(strict_types=1);

namespace PaymentCheckout;

/** The request is no recent and unaltered event of the service: answer 401. The message is for the log alone. */
final class Refused extends \Exception
{
    /** @param string $reason a word for programs, such as "no_match" */
    public function __construct(public readonly string $reason, string $message)
    {
        parent::__construct("$reason: $message");
    }
}
