<?php

declare(strict_types=1);

namespace PaymentCheckout;

/** Gives each event one effect. */
final class Once
{
    /**
     * Handles an event exactly once: the work changes your data in the transaction that remembers the event, and
     * commits nothing itself. An event that was handled before, or is older than one that was, changes nothing.
     * Where events before it are missing, $fetchMissing returns them, in any order, from
     * Client::listPaymentEvents: the work then sees 1, 2, 3 ... of each payment. Without it a gap is left, and
     * what was in it counts as handled.
     *
     * Returns the ids of the events that were handled now: none where there was nothing to do. Throws what the
     * work, $fetchMissing or the database threw; nothing has changed then: answer 500, and the event comes again.
     *
     * @param array<string, mixed> $event what Webhook::verify returned
     * @param callable(array<string, mixed>): mixed $work
     * @param null|callable(string, int, int): iterable<array<string, mixed>> $fetchMissing of a payment, those
     *     after a sequence and before another
     * @return list<string>
     */
    public static function handle(
        EventStore $store,
        array $event,
        callable $work,
        ?callable $fetchMissing = null,
    ): array {
        if (!is_string($event['data']['checkout']['id'] ?? null) || !is_int($event['sequence'] ?? null)) {
            throw new \InvalidArgumentException('the event must be a whole one: pass what Webhook::verify returned');
        }
        return $store->transaction(static function () use ($store, $event, $work, $fetchMissing): array {
            [$paymentId, $sequence] = [$event['data']['checkout']['id'], $event['sequence']];
            $last = $store->lock($paymentId);
            if ($sequence <= $last) {
                return [];
            }
            $isGap = $sequence > $last + 1;
            $missing = $isGap && $fetchMissing !== null ? $fetchMissing($paymentId, $last, $sequence) : [];
            $due = [...self::inOrder($missing, $paymentId, $last, $sequence), $event];
            foreach ($due as $one) {
                $work($one);
            }
            $store->remember($paymentId, $sequence, $event['id']);
            return array_column($due, 'id');
        });
    }

    /**
     * Those that belong in the gap, each once, whatever else the caller has fetched.
     *
     * @param iterable<array<string, mixed>> $events
     * @return list<array<string, mixed>>
     */
    private static function inOrder(iterable $events, string $paymentId, int $after, int $before): array
    {
        $found = [];
        foreach ($events as $event) {
            $sequence = $event['sequence'];
            if ($event['data']['checkout']['id'] === $paymentId && $sequence > $after && $sequence < $before) {
                $found[$sequence] = $event;
            }
        }
        ksort($found);
        return array_values($found);
    }
}
