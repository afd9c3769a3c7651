# Receives calls of Parley, with nothing but Python 3. Start it with: SECRETS=whsec_… PORT=8080 python3 verify.py
import hashlib
import hmac
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRETS = [one for one in os.environ.get("SECRETS", "").split(",") if one]  # two while you replace one
if not SECRETS:
    raise SystemExit("Set SECRETS: an empty secret is one that everybody knows.")
TOLERANCE_SECONDS = 300
MOST_BYTES = 1024 * 1024

# Headers are not signed, the body is: what both say must be the same.
FIELD_OF = {
    "Idempotency-Key": "id",
    "X-Service-Event": "type",
    "X-Service-Tenant-Id": "tenantId",
    "X-Service-Environment-Id": "environmentId",  # null where an event concerns no environment
    "X-Service-Action-Id": "actionId",
}


def is_signed(headers, body):
    """Each secret against each signature, to the end: how long it takes tells nobody anything."""
    signed = headers.get("X-Service-Timestamp", "").encode() + b"." + body
    given = [one for one in headers.get("X-Service-Signature", "").split(",") if re.fullmatch("v1=[0-9a-f]{64}", one)]
    is_good = False
    for secret in SECRETS:
        expected = "v1=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
        for one in given:
            is_good = hmac.compare_digest(one, expected) or is_good
    return is_good


def is_recent(headers):
    timestamp = headers.get("X-Service-Timestamp", "")
    return bool(re.fullmatch("[0-9]{10,11}", timestamp)) and abs(time.time() - int(timestamp)) <= TOLERANCE_SECONDS


def answer_to(headers, body):
    if not is_signed(headers, body):
        return 401, "bad signature"
    if not is_recent(headers):
        return 401, "too old, or from the future"
    try:
        event = json.loads(body)
    except ValueError:
        return 400, "not JSON"
    if not isinstance(event, dict):
        return 400, "not an event"
    for header, field in FIELD_OF.items():
        if event.get(field) is not None and headers.get(header, "") != event[field]:
            return 401, f"{header} differs from the body"
    # Your work begins here. Do that of one event["id"] once: the same event may come again.
    print(event["type"], event["id"], flush=True)
    return 200, "ok"


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        if not 0 <= length <= MOST_BYTES:
            return self.send_error(413)
        # The bytes as they came: JSON that is written anew has another signature.
        status, text = answer_to(self.headers, self.rfile.read(length))
        self.send_response(status)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("", int(os.environ.get("PORT", 8080))), Receiver).serve_forever()
