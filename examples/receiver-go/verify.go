package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	tolerance   = 300 * time.Second
	minKeyBytes = 24
)

// Secret is a webhook secret, whsec_...: Standard Webhooks' key is its decoded bytes, the other signature's key
// the whole text.
type Secret struct {
	text []byte
	key  []byte
}

// readSecrets returns the secrets of an environment variable, separated by commas: two while a rotation overlaps.
func readSecrets(configured string) ([]Secret, error) {
	var secrets []Secret
	for _, part := range strings.Split(configured, ",") {
		text := strings.TrimSpace(part)
		if text == "" {
			continue
		}
		if !strings.HasPrefix(text, "whsec_") {
			return nil, errors.New("a webhook secret begins with whsec_: GET /v1/webhooks/secrets returns it")
		}
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, "whsec_"))
		if err != nil || len(key) < minKeyBytes {
			return nil, errors.New("a webhook secret is not whole: whsec_ and base64")
		}
		secrets = append(secrets, Secret{text: []byte(text), key: key})
	}
	if len(secrets) == 0 {
		return nil, errors.New("a webhook secret is needed: set WEBHOOK_SECRET")
	}
	return secrets, nil
}

// verify returns an error unless body, the bytes as they arrived, was signed with one of the secrets within 300
// seconds of now. The error is for the log, not for the sender.
func verify(body []byte, headers http.Header, secrets []Secret, now time.Time) error {
	prove := verifyTimestamped
	if len(headers.Values("webhook-signature")) > 0 {
		prove = verifyStandard
	}
	timestamp, err := prove(body, headers, secrets)
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return errors.New("malformed_header")
	}
	// After the signature: who has none learns nothing of this clock.
	switch age := now.Sub(time.Unix(seconds, 0)); {
	case age > tolerance:
		return errors.New("timestamp_too_old")
	case age < -tolerance:
		return errors.New("timestamp_too_new")
	}
	return nil
}

var (
	isID        = regexp.MustCompile(`^\S{1,255}$`)
	isTimestamp = regexp.MustCompile(`^[0-9]{1,12}$`)
	isHex       = regexp.MustCompile(`^[0-9a-fA-F]{64}$`)
)

// verifyStandard checks the headers of Standard Webhooks: a signature for each secret in force.
func verifyStandard(body []byte, headers http.Header, secrets []Secret) (string, error) {
	id, err := one(headers, "webhook-id", isID)
	if err != nil {
		return "", err
	}
	timestamp, err := one(headers, "webhook-timestamp", isTimestamp)
	if err != nil {
		return "", err
	}
	given := strings.Split(strings.Join(headers.Values("webhook-signature"), " "), " ")
	for _, secret := range secrets {
		expected := digest(secret.key, id+"."+timestamp+".", body)
		for _, signature := range given {
			bytes, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(signature, "v1,"))
			if strings.HasPrefix(signature, "v1,") && err == nil && hmac.Equal(bytes, expected) {
				return timestamp, nil
			}
		}
	}
	return "", errors.New("no_match")
}

// verifyTimestamped checks X-Webhook-Signature, by the newest secret.
func verifyTimestamped(body []byte, headers http.Header, secrets []Secret) (string, error) {
	signature, err := one(headers, "x-webhook-signature", isHex)
	if err != nil {
		return "", err
	}
	timestamp, err := one(headers, "x-webhook-timestamp", isTimestamp)
	if err != nil {
		return "", err
	}
	given, err := hex.DecodeString(signature)
	if err != nil {
		return "", errors.New("malformed_header")
	}
	for _, secret := range secrets {
		if hmac.Equal(given, digest(secret.text, timestamp+".", body)) {
			return timestamp, nil
		}
	}
	return "", errors.New("no_match")
}

func one(headers http.Header, name string, pattern *regexp.Regexp) (string, error) {
	values := headers.Values(name)
	if len(values) == 0 {
		return "", errors.New("missing_header")
	}
	if len(values) > 1 || !pattern.MatchString(values[0]) {
		return "", errors.New("malformed_header")
	}
	return values[0], nil
}

func digest(key []byte, before string, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(before))
	mac.Write(body)
	return mac.Sum(nil)
}
