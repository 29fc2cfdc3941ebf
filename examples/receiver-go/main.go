// Receives webhooks with Go's standard library alone, and fulfils each order once.
//
//	WEBHOOK_SECRET=whsec_... go run .
package main

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"
)

const maxBodyBytes = 1_000_000

func main() {
	secrets, err := readSecrets(environment("WEBHOOK_SECRET", os.Getenv("WEBHOOK_SECRETS")))
	if err != nil {
		log.Fatal(err)
	}
	journal, err := openJournal(environment("JOURNAL", "handled.jsonl"))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/hooks", func(response http.ResponseWriter, request *http.Request) {
		response.WriteHeader(receive(journal, secrets, response, request))
	})
	listener, err := net.Listen("tcp", ":"+environment("PORT", "4000"))
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("listening on port %d", listener.Addr().(*net.TCPAddr).Port)
	server := &http.Server{ReadTimeout: 15 * time.Second}
	log.Fatal(server.Serve(listener))
}

// receive returns the status of the response: 401 for what is not from the service, 200 for an event.
func receive(journal *Journal, secrets []Secret, response http.ResponseWriter, request *http.Request) int {
	if request.Method != http.MethodPost {
		return http.StatusMethodNotAllowed
	}
	// The signatures cover these bytes: verify them before anything parses them.
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBodyBytes))
	if err != nil {
		return http.StatusRequestEntityTooLarge
	}
	if err := verify(body, request.Header, secrets, time.Now()); err != nil {
		log.Printf("refused: %v", err)
		return http.StatusUnauthorized
	}
	event, err := readEvent(body)
	if err != nil {
		log.Printf("refused: %v", err)
		return http.StatusUnauthorized
	}
	if err := journal.HandleOnce(event, handle); err != nil {
		log.Printf("%s was not handled: %v", event.ID, err)
		return http.StatusInternalServerError
	}
	return http.StatusOK
}

func readEvent(body []byte) (Event, error) {
	var event Event
	if err := json.Unmarshal(body, &event); err != nil {
		return event, errors.New("body_not_json")
	}
	if event.ID == "" || event.Type == "" {
		return event, errors.New("body_not_event")
	}
	return event, nil
}

// handle is what the shop does; it returns the order that it fulfils.
func handle(event Event, isLatest bool) string {
	order, late := event.Metadata["orderId"], ""
	if !isLatest {
		late = ", late"
	}
	log.Printf("%s %d: order %s is %s%s", event.Type, event.Sequence, order, event.Data.Checkout.Status, late)
	if event.Type != "checkout.settled" {
		return ""
	}
	return order
}

func environment(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
