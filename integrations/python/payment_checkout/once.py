"""Handles each event once, by any DB-API connection: SQLite, Postgres, MySQL and MariaDB."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

if TYPE_CHECKING:
    from .schemas import Event

# One row for each payment: its events are numbered 1, 2, 3 ..., and this is the last that was
# handled.
HANDLED_EVENTS_TABLE = """CREATE TABLE IF NOT EXISTS handled_payment_events (
  payment_id VARCHAR(64) PRIMARY KEY,
  sequence INTEGER NOT NULL,
  event_id VARCHAR(255) NOT NULL
)"""
# The first statement writes, also where the row is there: it locks the row, in SQLite the database, until the
# transaction ends. Another delivery waits here; one that read first would wait for others that do, too.
_LOCK = "INSERT INTO handled_payment_events (payment_id, sequence, event_id) VALUES (?, 0, '')"
_AS_IT_IS = "sequence = handled_payment_events.sequence"
_LAST = "SELECT sequence FROM handled_payment_events WHERE payment_id = ?"
_REMEMBER = "UPDATE handled_payment_events SET sequence = ?, event_id = ? WHERE payment_id = ?"


class Dialect(NamedTuple):
    """How a database spells what the dialects of SQL spell differently."""

    placeholder: str
    lock: str


SQLITE = Dialect("?", f"{_LOCK} ON CONFLICT (payment_id) DO UPDATE SET {_AS_IT_IS}")
POSTGRES = Dialect("%s", SQLITE.lock)
MYSQL = Dialect("%s", f"{_LOCK} ON DUPLICATE KEY UPDATE {_AS_IT_IS}")


def handle_once(
    connection: Any,
    event: Event,
    work: Callable[[Any, Event], object],
    *,
    fetch_missing: Callable[[str, int, int], Iterable[Event]] | None = None,
    dialect: Dialect | None = None,
) -> list[str]:
    """Handles an event exactly once: work changes your data in the transaction that remembers the event.

    work gets the connection and the event, and commits nothing itself. An event that was handled
    before, or is older than one that was, changes nothing. Where events before it are missing,
    fetch_missing(payment_id, after, before) returns them, in any order, from
    Client.list_payment_events: work then sees 1, 2, 3 ... of each payment. Without it a gap is
    left, and what was in it counts as handled.

    Returns the ids of the events that were handled now: none where there was nothing to do. Raises
    what work, fetch_missing or the database raised; nothing has changed then: answer 500, and the
    event comes again.

    connection is one of DB-API 2.0 that does not commit by itself, without an open transaction;
    the table is HANDLED_EVENTS_TABLE. The dialect is that of SQLite for sqlite3, and of Postgres
    for others: name MYSQL.
    """
    _check(connection, event)
    spoken = dialect or (SQLITE if isinstance(connection, sqlite3.Connection) else POSTGRES)
    payment_id, sequence = event["data"]["checkout"]["id"], event["sequence"]
    cursor = connection.cursor()

    def run(statement: str, *values: object) -> None:
        cursor.execute(statement.replace("?", spoken.placeholder), values)

    try:
        run(spoken.lock, payment_id)
        run(_LAST, payment_id)
        last = cursor.fetchone()[0]
        due = []
        if sequence > last:
            is_gap = sequence > last + 1
            missing = fetch_missing(payment_id, last, sequence) if is_gap and fetch_missing else ()
            due = [*_in_order(missing, payment_id, last, sequence), event]
            for one in due:
                work(connection, one)
            run(_REMEMBER, sequence, event["id"], payment_id)
        connection.commit()
    except BaseException:
        connection.rollback()
        raise
    finally:
        cursor.close()
    return [one["id"] for one in due]


def _check(connection: Any, event: Any) -> None:
    """Raises for what cannot be meant. A connection that commits each statement would remember too early."""
    if getattr(connection, "autocommit", False) is True or (
        isinstance(connection, sqlite3.Connection)
        and connection.isolation_level is None
        and getattr(connection, "autocommit", -1) == -1
    ):
        raise ValueError("the connection commits each statement by itself: open it without autocommit")
    if not isinstance(event, dict) or "sequence" not in event or "data" not in event:
        raise TypeError("event must be a whole event: pass what verify_webhook returned")


def _in_order(events: Iterable[Event], payment_id: str, after: int, before: int) -> list[Event]:
    """Those that belong in the gap, each once, whatever else the caller has fetched."""
    found = {
        event["sequence"]: event
        for event in events
        if event["data"]["checkout"]["id"] == payment_id and after < event["sequence"] < before
    }
    return [found[sequence] for sequence in sorted(found)]
