<?php

declare(strict_types=1);

namespace PaymentCheckout;

/** No response arrived. With the same idempotency key the request can be sent again. */
final class ConnectionFailed extends PaymentCheckoutException
{
}
