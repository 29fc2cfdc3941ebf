<?php

declare(strict_types=1);

namespace PaymentCheckout;

/** Remembers in a table of SQLite, Postgres, MySQL or MariaDB, by PDO. */
final class PdoEventStore implements EventStore
{
    /** One row for each payment: its events are numbered 1, 2, 3 ..., and this is the last that was handled. */
    public const HANDLED_EVENTS_TABLE = 'CREATE TABLE IF NOT EXISTS handled_payment_events ('
        . 'payment_id VARCHAR(64) PRIMARY KEY, sequence INTEGER NOT NULL, event_id VARCHAR(255) NOT NULL)';
    private const INSERT = "INSERT INTO handled_payment_events (payment_id, sequence, event_id) VALUES (?, 0, '')";
    private const AS_IT_IS = 'sequence = handled_payment_events.sequence';

    /** Throws InvalidArgumentException for a connection whose errors would be silent. */
    public function __construct(private readonly \PDO $db)
    {
        if ($db->getAttribute(\PDO::ATTR_ERRMODE) !== \PDO::ERRMODE_EXCEPTION) {
            throw new \InvalidArgumentException('the PDO must throw its errors: PDO::ERRMODE_EXCEPTION');
        }
    }

    public function transaction(callable $work): mixed
    {
        $this->db->beginTransaction();
        try {
            $result = $work();
            $this->db->commit();
            return $result;
        } catch (\Throwable $fault) {
            if ($this->db->inTransaction()) {
                $this->db->rollBack();
            }
            throw $fault;
        }
    }

    public function lock(string $paymentId): int
    {
        $isMysql = $this->db->getAttribute(\PDO::ATTR_DRIVER_NAME) === 'mysql';
        $ifThere = $isMysql ? 'ON DUPLICATE KEY UPDATE' : 'ON CONFLICT (payment_id) DO UPDATE SET';
        // It writes, also where the row is there: it locks the row, in SQLite the database, until the transaction
        // ends. Another delivery waits here; one that read first would wait for others that do, too.
        $this->run(self::INSERT . " $ifThere " . self::AS_IT_IS, $paymentId);
        $last = $this->run('SELECT sequence FROM handled_payment_events WHERE payment_id = ?', $paymentId);
        return (int) $last->fetchColumn();
    }

    public function remember(string $paymentId, int $sequence, string $eventId): void
    {
        $this->run(
            'UPDATE handled_payment_events SET sequence = ?, event_id = ? WHERE payment_id = ?',
            $sequence,
            $eventId,
            $paymentId,
        );
    }

    private function run(string $text, string|int ...$values): \PDOStatement
    {
        $statement = $this->db->prepare($text);
        $statement->execute($values);
        return $statement;
    }
}
