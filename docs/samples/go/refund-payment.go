package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
)

func main() {
	id := os.Getenv("PAYMENT_ID")
	body := `{ "amount": "5.00", "reason": "One of two shirts came back." }`
	address := os.Getenv("PAYMENT_CHECKOUT_URL") + "/v1/payment/" + id + "/refund"
	request, err := http.NewRequest("POST", address, strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("X-API-Key", os.Getenv("PAYMENT_CHECKOUT_KEY"))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", "refund-1-of-"+id)

	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusCreated {
		log.Fatal(response.Status)
	}
	var refund struct {
		ID         string `json:"id"`
		Status     string `json:"status"`
		CoinAmount string `json:"coin_amount"`
		Coin       string `json:"coin"`
	}
	if err := json.NewDecoder(response.Body).Decode(&refund); err != nil {
		log.Fatal(err)
	}
	fmt.Println(refund.ID, refund.Status, refund.CoinAmount, refund.Coin)
}
