package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

var client = &http.Client{Timeout: 30 * time.Second}

func main() {
	fmt.Println(createPayment("order-7"))
	fmt.Println(createPayment("order-7"))
}

// createPayment returns the id of the order's payment. The key follows from the order: however often this
// runs, the order has one payment.
func createPayment(order string) string {
	for attempt := 0; ; attempt++ {
		response, err := send(order)
		if err == nil && response.StatusCode < 400 {
			defer response.Body.Close()
			var payment struct {
				ID string `json:"id"`
			}
			if err := json.NewDecoder(response.Body).Decode(&payment); err != nil {
				log.Fatal(err)
			}
			return payment.ID
		}
		wait := time.Second << attempt
		if err == nil {
			response.Body.Close()
			if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
				wait = time.Duration(seconds) * time.Second
			}
			// These pass; what else is refused stays refused.
			if code := response.StatusCode; code != 429 && code != 500 && code != 503 {
				log.Fatal(response.Status)
			}
		}
		if attempt == 3 {
			log.Fatal("no payment: ", err)
		}
		time.Sleep(wait)
	}
}

func send(order string) (*http.Response, error) {
	body := `{ "pay_amount": "25.00", "order_id": "` + order + `" }`
	request, err := http.NewRequest("POST", os.Getenv("PAYMENT_CHECKOUT_URL")+"/v1/payment", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("X-API-Key", os.Getenv("PAYMENT_CHECKOUT_KEY"))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", "payment-of-"+order)
	return client.Do(request)
}
