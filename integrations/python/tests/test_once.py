"""Each event has one effect, whatever comes twice, late, or fails between."""

import sqlite3
import tempfile
import threading
import unittest
from contextlib import closing
from pathlib import Path

from payment_checkout import HANDLED_EVENTS_TABLE, MYSQL, POSTGRES, handle_once


def event(sequence, payment="pay_1"):
    return {
        "id": f"evt_{payment}_{sequence}",
        "type": "checkout.pending",
        "sequence": sequence,
        "data": {"checkout": {"id": payment}},
    }


def note(db, one):
    db.execute("INSERT INTO effects (id) VALUES (?)", (one["id"],))


class HandleOnce(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = str(Path(folder.name) / "shop.sqlite")
        self.db = self.connect()
        self.addCleanup(self.db.close)
        self.db.execute(HANDLED_EVENTS_TABLE)
        self.db.execute("CREATE TABLE effects (id TEXT)")

    def connect(self, **options):
        return sqlite3.connect(self.file, timeout=20, **options)

    def effects(self):
        return [row[0] for row in self.db.execute("SELECT id FROM effects ORDER BY rowid")]

    def test_the_same_event_has_one_effect(self):
        self.assertEqual(handle_once(self.db, event(1), note), ["evt_pay_1_1"])
        self.assertEqual(handle_once(self.db, event(1), note), [])
        self.assertEqual(self.effects(), ["evt_pay_1_1"])

    def test_an_event_older_than_the_last_changes_nothing_and_payments_are_counted_apart(self):
        handle_once(self.db, event(3), note)
        self.assertEqual(handle_once(self.db, event(2), note), [])
        self.assertEqual(handle_once(self.db, event(1, "pay_2"), note), ["evt_pay_2_1"])
        self.assertEqual(self.effects(), ["evt_pay_1_3", "evt_pay_2_1"])

    def test_missing_events_are_fetched_and_handled_first(self):
        asked = []

        def fetch(payment_id, after, before):
            asked.append((payment_id, after, before))
            return [event(3), event(9), event(2), event(2, "pay_2"), event(3), event(1)]

        handle_once(self.db, event(1), note, fetch_missing=fetch)
        handled = handle_once(self.db, event(4), note, fetch_missing=fetch)
        self.assertEqual(asked, [("pay_1", 1, 4)])
        self.assertEqual(handled, ["evt_pay_1_2", "evt_pay_1_3", "evt_pay_1_4"])
        self.assertEqual(self.effects(), ["evt_pay_1_1", *handled])

    def test_what_fails_has_no_effect_and_is_handled_when_it_comes_again(self):
        def fail(db, one):
            note(db, one)
            raise RuntimeError("the parcel service is away")

        with self.assertRaisesRegex(RuntimeError, "parcel service"):
            handle_once(self.db, event(1), fail)
        self.assertEqual(self.effects(), [])
        self.assertEqual(handle_once(self.db, event(1), note), ["evt_pay_1_1"])

    def test_deliveries_at_the_same_moment_have_one_effect(self):
        barrier, handled, faults = threading.Barrier(4), [], []

        def deliver():
            try:
                with closing(self.connect()) as db:
                    barrier.wait()
                    handled.extend(handle_once(db, event(1), note))
            except Exception as error:
                faults.append(error)

        threads = [threading.Thread(target=deliver) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(faults, [])
        self.assertEqual(handled, ["evt_pay_1_1"])
        self.assertEqual(self.effects(), ["evt_pay_1_1"])

    def test_a_connection_that_commits_by_itself_is_refused(self):
        with closing(self.connect(isolation_level=None)) as db:
            with self.assertRaisesRegex(ValueError, "autocommit"):
                handle_once(db, event(1), note)
        self.assertEqual(self.effects(), [])

    def test_what_is_no_whole_event_is_refused(self):
        with self.assertRaisesRegex(TypeError, "verify_webhook"):
            handle_once(self.db, {"id": "evt_1", "type": "checkout.settled"}, note)

    def test_other_databases_get_their_own_words(self):
        for dialect, words in ((POSTGRES, "ON CONFLICT"), (None, "ON CONFLICT"), (MYSQL, "ON DUPLICATE KEY")):
            connection = Recorder()
            handle_once(connection, event(1), lambda *_: None, dialect=dialect)
            self.assertRegex(connection.said[0], f"VALUES \\(%s, 0, ''\\) {words}")
            self.assertEqual(connection.said[-1], "commit")
            self.assertNotIn("?", "".join(connection.said))


class Recorder:
    """A connection and its cursor that find no event."""

    def __init__(self):
        self.said = []

    def cursor(self):
        return self

    def execute(self, statement, values):
        assert statement.count("%s") == len(values)
        self.said.append(statement)

    def fetchone(self):
        return (0,)

    def commit(self):
        self.said.append("commit")

    def close(self):
        pass


if __name__ == "__main__":
    unittest.main()
