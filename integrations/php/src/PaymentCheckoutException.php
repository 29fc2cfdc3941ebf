<?php

declare(strict_types=1);

namespace PaymentCheckout;

/** What every error of the client is; none holds the API key. */
class PaymentCheckoutException extends \RuntimeException
{
}
