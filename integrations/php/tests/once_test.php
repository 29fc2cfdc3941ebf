<?php

declare(strict_types=1);

use PaymentCheckout\Once;
use PaymentCheckout\PdoEventStore;

function event(int $sequence, string $payment = 'pay_1'): array
{
    return ['id' => "$payment-$sequence", 'sequence' => $sequence, 'data' => ['checkout' => ['id' => $payment]]];
}

/** A shop with the table, and the effects that the work has. */
final class Shop
{
    public function __construct(public readonly PDO $db = new PDO('sqlite::memory:'))
    {
        $db->exec(PdoEventStore::HANDLED_EVENTS_TABLE);
        $db->exec('CREATE TABLE IF NOT EXISTS effects (id TEXT)');
    }

    public function handle(array $event, ?callable $fetchMissing = null, bool $fails = false): array
    {
        return Once::handle(new PdoEventStore($this->db), $event, function (array $event) use ($fails): void {
            $this->db->prepare('INSERT INTO effects (id) VALUES (?)')->execute([$event['id']]);
            if ($fails) {
                throw new DomainException('the parcel service is away');
            }
        }, $fetchMissing);
    }

    public function effects(): array
    {
        return $this->db->query('SELECT id FROM effects ORDER BY rowid')->fetchAll(PDO::FETCH_COLUMN);
    }
}

it('handles the same event once, and payments apart from each other', function (): void {
    $shop = new Shop();
    same(['pay_1-1'], $shop->handle(event(1)));
    same([], $shop->handle(event(1)));
    same(['pay_2-1'], $shop->handle(event(1, 'pay_2')));
    same(['pay_1-1', 'pay_2-1'], $shop->effects());
});

it('lets an event change nothing that is older than the last', function (): void {
    $shop = new Shop();
    $shop->handle(event(3));
    same([], $shop->handle(event(2)));
    same(['pay_1-3'], $shop->effects());
});

it('fetches missing events, and handles them first', function (): void {
    $shop = new Shop();
    $asked = [];
    $fetch = function (string ...$asking) use (&$asked): array {
        $asked[] = $asking;
        return [event(3), event(9), event(2), event(2, 'pay_2'), event(3), event(1)];
    };
    $fetch = fn (string $id, int $after, int $before): array => $fetch($id, "$after", "$before");
    $shop->handle(event(1), $fetch);
    same(['pay_1-2', 'pay_1-3', 'pay_1-4'], $shop->handle(event(4), $fetch));
    same([['pay_1', '1', '4']], $asked);
    same(['pay_1-1', 'pay_1-2', 'pay_1-3', 'pay_1-4'], $shop->effects());
});

it('has no effect where the work fails, and handles the event when it comes again', function (): void {
    $shop = new Shop();
    thrown(DomainException::class, fn () => $shop->handle(event(1), fails: true));
    same([], $shop->effects());
    same(['pay_1-1'], $shop->handle(event(1)));
});

it('refuses a PDO whose errors are silent, and what is no whole event', function (): void {
    $silent = new PDO('sqlite::memory:', options: [PDO::ATTR_ERRMODE => PDO::ERRMODE_SILENT]);
    thrown(InvalidArgumentException::class, fn () => new PdoEventStore($silent));
    thrown(InvalidArgumentException::class, fn () => (new Shop())->handle(['id' => 'evt_1', 'type' => 'thin']));
});
