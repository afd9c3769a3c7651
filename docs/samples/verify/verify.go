// Receives calls of Parley, with nothing but Go. Start it with: SECRETS=whsec_… PORT=8080 go run verify.go
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
	mostBytes = 1024 * 1024
)

var (
	secrets     = strings.FieldsFunc(os.Getenv("SECRETS"), func(mark rune) bool { return mark == ',' }) // two while you replace one
	isTimestamp = regexp.MustCompile(`^[0-9]{10,11}$`)

	// Headers are not signed, the body is: what both say must be the same.
	fieldOf = map[string]string{
		"Idempotency-Key":          "id",
		"X-Service-Event":          "type",
		"X-Service-Tenant-Id":      "tenantId",
		"X-Service-Environment-Id": "environmentId", // null where an event concerns no environment
		"X-Service-Action-Id":      "actionId",
	}
)

// Each secret against each signature, to the end: how long it takes tells nobody anything.
func isSigned(headers http.Header, body []byte) bool {
	isGood := false
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(headers.Get("X-Service-Timestamp") + "."))
		mac.Write(body)
		expected := []byte("v1=" + hex.EncodeToString(mac.Sum(nil)))
		for _, given := range strings.Split(headers.Get("X-Service-Signature"), ",") {
			isGood = hmac.Equal([]byte(given), expected) || isGood
		}
	}
	return isGood
}

func isRecent(timestamp string) bool {
	if !isTimestamp.MatchString(timestamp) {
		return false
	}
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	return time.Since(time.Unix(seconds, 0)).Abs() <= tolerance
}

func answerTo(headers http.Header, body []byte) (int, string) {
	if !isSigned(headers, body) {
		return http.StatusUnauthorized, "bad signature"
	}
	if !isRecent(headers.Get("X-Service-Timestamp")) {
		return http.StatusUnauthorized, "too old, or from the future"
	}
	var event map[string]any
	if json.Unmarshal(body, &event) != nil || event == nil {
		return http.StatusBadRequest, "not an event"
	}
	for header, field := range fieldOf {
		if said, isText := event[field].(string); isText && headers.Get(header) != said {
			return http.StatusUnauthorized, header + " differs from the body"
		}
	}
	// Your work begins here. Do that of one event["id"] once: the same event may come again.
	fmt.Println(event["type"], event["id"])
	return http.StatusOK, "ok"
}

func main() {
	if len(secrets) == 0 {
		log.Fatal("Set SECRETS: an empty secret is one that everybody knows.")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		// The bytes as they came: JSON that is written anew has another signature.
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, mostBytes))
		if err != nil {
			http.Error(response, "too large", http.StatusRequestEntityTooLarge)
			return
		}
		status, text := answerTo(request.Header, body)
		response.WriteHeader(status)
		io.WriteString(response, text)
	})
	log.Fatal(http.ListenAndServe(":"+port, nil))
}
