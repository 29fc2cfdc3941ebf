package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const toleranceSeconds = 300

type event struct {
	Type     string `json:"type"`
	Sequence int    `json:"sequence"`
	Data     struct {
		Checkout struct {
			Status string `json:"status"`
		} `json:"checkout"`
	} `json:"data"`
	Metadata struct {
		OrderID string `json:"orderId"`
	} `json:"metadata"`
}

func isGenuine(body []byte, header http.Header) bool {
	timestamp := header.Get("X-Webhook-Timestamp")
	signature, err := hex.DecodeString(header.Get("X-Webhook-Signature"))
	if err != nil {
		return false
	}
	isSigned := false
	// During a rotation there are two, separated by a comma.
	for _, secret := range strings.Split(os.Getenv("WEBHOOK_SECRET"), ",") {
		mac := hmac.New(sha256.New, []byte(strings.TrimSpace(secret)))
		mac.Write([]byte(timestamp + "."))
		mac.Write(body)
		isSigned = isSigned || hmac.Equal(mac.Sum(nil), signature)
	}
	if !isSigned {
		return false
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	age := time.Now().Unix() - seconds
	return err == nil && -toleranceSeconds <= age && age <= toleranceSeconds
}

func receive(response http.ResponseWriter, request *http.Request) {
	// The bytes that were signed: nothing parses them before.
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1<<20))
	var received event
	if err != nil || !isGenuine(body, request.Header) || json.Unmarshal(body, &received) != nil {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	response.WriteHeader(http.StatusOK)
	go handle(received)
}

// In production: remember the event's id in your database, and do nothing where it is known.
func handle(received event) {
	fmt.Printf("%s %d: order %s is %s\n",
		received.Type, received.Sequence, received.Metadata.OrderID, received.Data.Checkout.Status)
}

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "4000"
	}
	fmt.Println("listening")
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, http.HandlerFunc(receive)))
}
