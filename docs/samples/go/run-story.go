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
	body := `{ "story": "late-after-partial", "ids": "stable" }`
	address := os.Getenv("PAYMENT_CHECKOUT_URL") + "/v1/sandbox/scenarios"
	request, err := http.NewRequest("POST", address, strings.NewReader(body))
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
	if response.StatusCode >= 400 {
		log.Fatal(response.Status)
	}
	var scenario struct {
		Transitions []struct {
			At    string  `json:"at"`
			From  *string `json:"from"`
			To    string  `json:"to"`
			Event string  `json:"event"`
		} `json:"transitions"`
	}
	if err := json.NewDecoder(response.Body).Decode(&scenario); err != nil {
		log.Fatal(err)
	}
	for _, step := range scenario.Transitions {
		from := "-"
		if step.From != nil {
			from = *step.From
		}
		fmt.Println(step.At, from, "->", step.To, step.Event)
	}
}
