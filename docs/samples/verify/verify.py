# A webhook endpoint for Parley that needs only Python 3. Start it with: SECRETS=whsec_… PORT=8080 python3 verify.py
import hashlib
import hmac
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRETS = [one for one in os.environ.get("SECRETS", "").split(",") if one]  # both, during a rotation
if not SECRETS:
    raise SystemExit("Set SECRETS to the secret of your endpoint.")
TOLERANCE_SECONDS = 300
MAX_BYTES = 1024 * 1024

# Only the body is signed, so these headers must match it.
FIELD_OF = {
    "Idempotency-Key": "id",
    "X-Service-Event": "type",
    "X-Service-Tenant-Id": "tenantId",
    "X-Service-Environment-Id": "environmentId",  # null if the event has no environment
    "X-Service-Action-Id": "actionId",
}


def is_signed(headers, body):
    """Compares every secret with every signature, in constant time, so that the duration reveals nothing."""
    signed = headers.get("X-Service-Timestamp", "").encode() + b"." + body
    given = [one for one in headers.get("X-Service-Signature", "").split(",") if re.fullmatch("v1=[0-9a-f]{64}", one)]
    is_valid = False
    for secret in SECRETS:
        expected = "v1=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
        for one in given:
            is_valid = hmac.compare_digest(one, expected) or is_valid
    return is_valid


def is_recent(headers):
    timestamp = headers.get("X-Service-Timestamp", "")
    return bool(re.fullmatch("[0-9]{10,11}", timestamp)) and abs(time.time() - int(timestamp)) <= TOLERANCE_SECONDS


def respond(headers, body):
    if not is_signed(headers, body):
        return 401, "bad signature"
    if not is_recent(headers):
        return 401, "timestamp too old or in the future"
    try:
        event = json.loads(body)
    except ValueError:
        return 400, "not JSON"
    if not isinstance(event, dict):
        return 400, "not an event"
    for header, field in FIELD_OF.items():
        if event.get(field) is not None and headers.get(header, "") != event[field]:
            return 401, f"{header} differs from the body"
    # Handle the event here. It can be delivered more than once: process each event["id"] once.
    print(event["type"], event["id"], flush=True)
    return 200, "ok"


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        if not 0 <= length <= MAX_BYTES:
            return self.send_error(413)
        # The raw bytes: parsing and serializing the JSON again would change the signature.
        status, text = respond(self.headers, self.rfile.read(length))
        self.send_response(status)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("", int(os.environ.get("PORT", 8080))), Receiver).serve_forever()
