package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
)

type apiError struct {
	Message   string `json:"message"`
	RequestID string `json:"request_id"`
	Details   *struct {
		Field      string `json:"field"`
		Constraint string `json:"constraint"`
	} `json:"details"`
}

func main() {
	// An amount must be text.
	body := `{ "pay_amount": 25, "order_id": "order-1" }`
	request, err := http.NewRequest("POST", os.Getenv("PAYMENT_CHECKOUT_URL")+"/v1/payment", strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("X-API-Key", os.Getenv("PAYMENT_CHECKOUT_KEY"))
	request.Header.Set("Content-Type", "application/json")

	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal("no response: send it again, with the same Idempotency-Key: ", err)
	}
	defer response.Body.Close()
	if response.StatusCode < 400 {
		return
	}
	var refused apiError
	if err := json.NewDecoder(response.Body).Decode(&refused); err != nil {
		log.Fatal(err)
	}
	switch {
	case response.StatusCode == 429 || response.StatusCode == 503:
		fmt.Println("try again after", response.Header.Get("Retry-After"), "s:", refused.RequestID)
	case refused.Details != nil:
		fmt.Println("refused:", refused.Details.Field, refused.Details.Constraint, refused.RequestID)
	default:
		fmt.Println("refused:", response.Status, refused.Message, refused.RequestID)
	}
}
