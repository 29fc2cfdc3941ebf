package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"
)

type payment struct {
	Status               string `json:"status"`
	ActuallyPaid         string `json:"actually_paid"`
	ActuallyPaidCurrency string `json:"actually_paid_currency"`
}

func main() {
	id := os.Getenv("PAYMENT_ID")
	// With a test key only: pays what is missing, as the customer does.
	send("POST", "/v1/sandbox/payments/"+id+"/transfers", nil)

	for {
		var found payment
		send("GET", "/v1/payment/"+id, &found)
		fmt.Println(found.Status)
		switch found.Status {
		case "SETTLED", "EXPIRED", "FAILED":
			fmt.Println(found.ActuallyPaid, found.ActuallyPaidCurrency)
			return
		}
		time.Sleep(2 * time.Second)
	}
}

// send reads the response into result, which may be nil.
func send(method, path string, result any) {
	request, err := http.NewRequest(method, os.Getenv("PAYMENT_CHECKOUT_URL")+path, nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("X-API-Key", os.Getenv("PAYMENT_CHECKOUT_KEY"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 400 {
		log.Fatal(response.Status)
	}
	if result == nil {
		return
	}
	if err := json.NewDecoder(response.Body).Decode(result); err != nil {
		log.Fatal(err)
	}
}
