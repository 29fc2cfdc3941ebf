package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"
	"sync"
)

// Event is what the receiver reads of an event.
type Event struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Sequence int    `json:"sequence"`
	Data     struct {
		Checkout struct {
			ID     string `json:"id"`
			Status string `json:"status"`
		} `json:"checkout"`
	} `json:"data"`
	Metadata map[string]string `json:"metadata"`
}

// Entry is a line of the journal: an event that was handled, and the order that it fulfilled, if any. Both stand
// in one line, so that neither is there without the other.
type Entry struct {
	EventID   string `json:"event_id"`
	PaymentID string `json:"payment_id"`
	Sequence  int    `json:"sequence"`
	Fulfilled string `json:"fulfilled,omitempty"`
}

// Journal remembers events in a file that only grows. A shop with a database writes both into one transaction
// of it instead.
type Journal struct {
	mutex   sync.Mutex
	file    *os.File
	handled map[string]bool
	latest  map[string]int
	// Orders: one that was paid twice, by two payments, is sent once.
	fulfilled map[string]bool
}

// openJournal reads what was handled before the last start. A line that a crash cut off was never acknowledged:
// it is removed, and its event comes again.
func openJournal(path string) (*Journal, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	journal := &Journal{file: file, handled: map[string]bool{}, latest: map[string]int{}, fulfilled: map[string]bool{}}
	whole := int64(0)
	for reader := bufio.NewReader(file); ; {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			break
		}
		var entry Entry
		if err := json.Unmarshal(line, &entry); err != nil {
			return nil, err
		}
		journal.note(entry)
		whole += int64(len(line))
	}
	if err := file.Truncate(whole); err != nil {
		return nil, err
	}
	_, err = file.Seek(whole, 0)
	return journal, err
}

func (journal *Journal) note(entry Entry) {
	journal.handled[entry.EventID] = true
	journal.fulfilled[entry.Fulfilled] = true
	if entry.Sequence > journal.latest[entry.PaymentID] {
		journal.latest[entry.PaymentID] = entry.Sequence
	}
}

// HandleOnce calls handle unless the event was handled, and returns when the disk has what it decided. Events may
// come in any order: isLatest is false where a newer one of the payment was handled before. On an error nothing
// was handled, and the event comes again.
func (journal *Journal) HandleOnce(event Event, handle func(event Event, isLatest bool) (fulfilled string)) error {
	journal.mutex.Lock()
	defer journal.mutex.Unlock()
	if journal.handled[event.ID] {
		return nil
	}
	payment := event.Data.Checkout.ID
	entry := Entry{EventID: event.ID, PaymentID: payment, Sequence: event.Sequence}
	if order := handle(event, event.Sequence > journal.latest[payment]); !journal.fulfilled[order] {
		entry.Fulfilled = order
	}
	line, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	end, err := journal.file.Seek(0, 1)
	if err != nil {
		return err
	}
	_, err = journal.file.Write(append(line, '\n'))
	if err == nil {
		err = journal.file.Sync()
	}
	if err != nil {
		// Half a line would spoil the next one.
		journal.file.Truncate(end)
		journal.file.Seek(end, 0)
		return err
	}
	journal.note(entry)
	if entry.Fulfilled != "" {
		log.Printf("order %s is sent", entry.Fulfilled)
	}
	return nil
}
