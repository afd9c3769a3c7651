// A webhook endpoint for Parley that needs only Go's standard library. Start it with: SECRETS=whsec_… PORT=8080 go run verify.go
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
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	tolerance = 300 * time.Second
	maxBytes  = 1024 * 1024
)

var (
	secrets     = strings.FieldsFunc(os.Getenv("SECRETS"), func(char rune) bool { return char == ',' }) // both, during a rotation
	isTimestamp = regexp.MustCompile(`^[0-9]{10,11}$`)

	// Only the body is signed, so these headers must match it.
	fieldOf = map[string]string{
		"Idempotency-Key":          "id",
		"X-Service-Event":          "type",
		"X-Service-Tenant-Id":      "tenantId",
		"X-Service-Environment-Id": "environmentId", // null if the event has no environment
		"X-Service-Action-Id":      "actionId",
	}
)

// Compares every secret with every signature, in constant time, so that the duration reveals nothing.
func isSigned(headers http.Header, body []byte) bool {
	isValid := false
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(headers.Get("X-Service-Timestamp") + "."))
		mac.Write(body)
		expected := []byte("v1=" + hex.EncodeToString(mac.Sum(nil)))
		for _, given := range strings.Split(headers.Get("X-Service-Signature"), ",") {
			isValid = hmac.Equal([]byte(given), expected) || isValid
		}
	}
	return isValid
}

func isRecent(timestamp string) bool {
	if !isTimestamp.MatchString(timestamp) {
		return false
	}
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	return time.Since(time.Unix(seconds, 0)).Abs() <= tolerance
}

func respond(headers http.Header, body []byte) (int, string) {
	if !isSigned(headers, body) {
		return http.StatusUnauthorized, "bad signature"
	}
	if !isRecent(headers.Get("X-Service-Timestamp")) {
		return http.StatusUnauthorized, "timestamp too old or in the future"
	}
	var event map[string]any
	if json.Unmarshal(body, &event) != nil || event == nil {
		return http.StatusBadRequest, "not an event"
	}
	for header, field := range fieldOf {
		if value, isString := event[field].(string); isString && headers.Get(header) != value {
			return http.StatusUnauthorized, header + " differs from the body"
		}
	}
	// Handle the event here. It can be delivered more than once: process each event["id"] once.
	fmt.Println(event["type"], event["id"])
	return http.StatusOK, "ok"
}

func main() {
	if len(secrets) == 0 {
		log.Fatal("Set SECRETS to the secret of your endpoint.")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		// The raw bytes: parsing and serializing the JSON again would change the signature.
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBytes))
		if err != nil {
			http.Error(response, "too large", http.StatusRequestEntityTooLarge)
			return
		}
		status, text := respond(request.Header, body)
		response.WriteHeader(status)
		io.WriteString(response, text)
	})
	log.Fatal(http.ListenAndServe(":"+port, nil))
}
