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
	body := `{
		"pay_amount": "25.00",
		"order_id": "order-1",
		"success_url": "https://shop.example/thanks"
	}`
	request, err := http.NewRequest("POST", os.Getenv("PAYMENT_CHECKOUT_URL")+"/v1/payment", strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("X-API-Key", os.Getenv("PAYMENT_CHECKOUT_KEY"))
	request.Header.Set("Content-Type", "application/json")

	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusCreated {
		log.Fatal(response.Status)
	}
	var payment struct {
		ID          string `json:"id"`
		CheckoutURL string `json:"checkout_url"`
	}
	if err := json.NewDecoder(response.Body).Decode(&payment); err != nil {
		log.Fatal(err)
	}
	fmt.Println(payment.ID, payment.CheckoutURL)
}
