package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
)

type page struct {
	Data []struct {
		ID        string `json:"id"`
		Status    string `json:"status"`
		PayAmount string `json:"pay_amount"`
	} `json:"data"`
	Pagination struct {
		NextCursor *string `json:"next_cursor"`
	} `json:"pagination"`
}

func main() {
	query := url.Values{"status": {"WAITING,PENDING,PROCESSING,SETTLED"}, "limit": {"100"}}
	for {
		found := read("/v1/payments?" + query.Encode())
		for _, payment := range found.Data {
			fmt.Println(payment.ID, payment.Status, payment.PayAmount)
		}
		if found.Pagination.NextCursor == nil {
			return
		}
		query.Set("cursor", *found.Pagination.NextCursor)
	}
}

func read(path string) (found page) {
	request, err := http.NewRequest("GET", os.Getenv("PAYMENT_CHECKOUT_URL")+path, nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("X-API-Key", os.Getenv("PAYMENT_CHECKOUT_KEY"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		log.Fatal(response.Status)
	}
	if err := json.NewDecoder(response.Body).Decode(&found); err != nil {
		log.Fatal(err)
	}
	return found
}
