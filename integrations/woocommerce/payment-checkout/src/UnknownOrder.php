<?php

declare(strict_types=1);

namespace PaymentCheckout\WooCommerce;

/** The event is of an order that is not this shop's. */
final class UnknownOrder extends \RuntimeException
{
}
