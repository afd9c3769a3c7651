<?php
// A webhook endpoint for Parley that needs only PHP 8. Start it with: SECRETS=whsec_… php -S 0.0.0.0:8080 verify.php
// The same file works behind Apache or nginx.

const TOLERANCE_SECONDS = 300;
const MAX_BYTES = 1024 * 1024;

// Only the body is signed, so these headers must match it.
const FIELD_OF = [
    'Idempotency-Key' => 'id',
    'X-Service-Event' => 'type',
    'X-Service-Tenant-Id' => 'tenantId',
    'X-Service-Environment-Id' => 'environmentId', // null if the event has no environment
    'X-Service-Action-Id' => 'actionId',
];

function headerOf(string $name): string
{
    return $_SERVER['HTTP_' . strtoupper(str_replace('-', '_', $name))] ?? '';
}

// Compares every secret with every signature, in constant time, so that the duration reveals nothing.
function isSigned(string $body): bool
{
    $isValid = false;
    $secrets = array_filter(explode(',', getenv('SECRETS') ?: '')); // both, during a rotation; never an empty one
    foreach ($secrets as $secret) {
        $expected = 'v1=' . hash_hmac('sha256', headerOf('X-Service-Timestamp') . '.' . $body, $secret);
        foreach (explode(',', headerOf('X-Service-Signature')) as $given) {
            $isValid = hash_equals($expected, $given) || $isValid;
        }
    }
    return $isValid;
}

function isRecent(string $timestamp): bool
{
    return preg_match('/^\d{10,11}$/D', $timestamp) === 1 && abs(microtime(true) - (int) $timestamp) <= TOLERANCE_SECONDS;
}

/** @return array{int, string} */
function respond(string $body): array
{
    if (!isSigned($body)) {
        return [401, 'bad signature'];
    }
    if (!isRecent(headerOf('X-Service-Timestamp'))) {
        return [401, 'timestamp too old or in the future'];
    }
    $event = json_decode($body, true);
    if (!is_array($event) || array_is_list($event)) {
        return [400, 'not an event'];
    }
    foreach (FIELD_OF as $header => $field) {
        if (isset($event[$field]) && headerOf($header) !== $event[$field]) {
            return [401, "$header differs from the body"];
        }
    }
    // Handle the event here. It can be delivered more than once: process each $event['id'] once.
    error_log("{$event['type']} {$event['id']}");
    return [200, 'ok'];
}

// The raw bytes: parsing and serializing the JSON again would change the signature.
[$status, $text] = respond(file_get_contents('php://input', length: MAX_BYTES));
http_response_code($status);
header('Content-Type: text/plain');
echo $text;
