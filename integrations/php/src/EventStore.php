<?php

declare(strict_types=1);

namespace PaymentCheckout;

/** How handled events are remembered, in a database with transactions. */
interface EventStore
{
    /** Runs the work in a transaction: commits what it did when it returns, nothing of it when it throws. */
    public function transaction(callable $work): mixed;

    /**
     * Locks the payment until the transaction ends, also where it was never seen before, so that no other
     * transaction handles an event of it meanwhile. Returns the sequence that was handled last; 0: none was.
     */
    public function lock(string $paymentId): int;

    /** Remembers, in the transaction, the last event of a locked payment that was handled. */
    public function remember(string $paymentId, int $sequence, string $eventId): void;
}
