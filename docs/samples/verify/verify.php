<?php
// Receives calls of Parley, with nothing but PHP 8. Start it with: SECRETS=whsec_… php -S 0.0.0.0:8080 verify.php
// The same file works behind Apache or nginx.

const TOLERANCE_SECONDS = 300;
const MOST_BYTES = 1024 * 1024;

// Headers are not signed, the body is: what both say must be the same.
const FIELD_OF = [
    'Idempotency-Key' => 'id',
    'X-Service-Event' => 'type',
    'X-Service-Tenant-Id' => 'tenantId',
    'X-Service-Environment-Id' => 'environmentId', // null where an event concerns no environment
    'X-Service-Action-Id' => 'actionId',
];

function headerOf(string $name): string
{
    return $_SERVER['HTTP_' . strtoupper(str_replace('-', '_', $name))] ?? '';
}

// Each secret against each signature, to the end: how long it takes tells nobody anything.
function isSigned(string $body): bool
{
    $isGood = false;
    $secrets = array_filter(explode(',', getenv('SECRETS') ?: '')); // two while you replace one; never an empty one
    foreach ($secrets as $secret) {
        $expected = 'v1=' . hash_hmac('sha256', headerOf('X-Service-Timestamp') . '.' . $body, $secret);
        foreach (explode(',', headerOf('X-Service-Signature')) as $given) {
            $isGood = hash_equals($expected, $given) || $isGood;
        }
    }
    return $isGood;
}

function isRecent(string $timestamp): bool
{
    return preg_match('/^\d{10,11}$/D', $timestamp) === 1 && abs(microtime(true) - (int) $timestamp) <= TOLERANCE_SECONDS;
}

/** @return array{int, string} */
function answerTo(string $body): array
{
    if (!isSigned($body)) {
        return [401, 'bad signature'];
    }
    if (!isRecent(headerOf('X-Service-Timestamp'))) {
        return [401, 'too old, or from the future'];
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
    // Your work begins here. Do that of one $event['id'] once: the same event may come again.
    error_log("{$event['type']} {$event['id']}");
    return [200, 'ok'];
}

// The bytes as they came: JSON that is written anew has another signature.
[$status, $text] = answerTo(file_get_contents('php://input', length: MOST_BYTES));
http_response_code($status);
header('Content-Type: text/plain');
echo $text;
