/** Tells a developer what happened and what to do about it. */
export function hintOf(status: number | null, error: string | null, headers: Record<string, string> = {}): string {
  if (status !== null) return hintOfStatus(status, headers);
  return (error !== null && errorHints[error]) || 'The request failed. We’ll retry.';
}

function hintOfStatus(status: number, headers: Record<string, string>): string {
  if (status >= 200 && status < 300) return 'Delivered.';
  if (status >= 300 && status < 400) {
    const target = headers['location'] ? ` to ${printable(headers['location'])}` : '';
    return `Your endpoint returned ${status}${target}. We don’t follow redirects: set the endpoint to the final URL.`;
  }
  return (
    statusHints[status] ??
    (status >= 500
      ? `Your endpoint returned ${status}. Check its logs. We’ll retry.`
      : `Your endpoint returned ${status}. Return any 2xx to confirm receipt. We’ll retry.`)
  );
}

/** Truncates text from a response and removes control characters. */
const printable = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 200);

const statusHints: Record<number, string> = {
  400: 'Your endpoint returned 400. Often a framework parsed the body before the signature was verified, or expected another content type.',
  401: 'Your endpoint returned 401. Check that it verifies with this endpoint’s secret, over the raw bytes of the body.',
  403: 'Your endpoint returned 403. A firewall or bot protection may be blocking it: allow requests with our signature.',
  404: 'Your endpoint returned 404. Check the path in the endpoint’s URL.',
  405: 'Your endpoint returned 405. This URL doesn’t accept POST.',
  410: 'Your endpoint returned 410 Gone. It has been disabled, and new events are queued.',
  413: 'Your endpoint returned 413. Allow bodies of up to 256 KiB.',
  429: 'Your endpoint returned 429, too many requests. We’ll slow down and retry after the time in Retry-After.',
  502: 'Your proxy returned 502: it can’t reach the server behind it.',
  503: 'Your endpoint returned 503. We’ll retry after the time in Retry-After.',
  504: 'Your proxy returned 504: the server behind it was too slow. Respond first and do the work afterwards.',
};

const errorHints: Record<string, string> = {
  timeout: 'No complete response within 15 seconds. Return 2xx immediately and do the work afterwards.',
  connect_failed: 'The connection was refused. Check that the server is running and the port is open to the internet.',
  tls_failed: 'The certificate is invalid: expired, for another host name, or not issued by a public authority.',
  reset: 'The connection was closed before the response was complete.',
  headers_too_large: 'The response headers are larger than 16 KiB.',
  bad_response: 'The response is not valid HTTP.',
  dns_failed: 'The host name could not be resolved. Check its spelling and DNS record.',
  private_ip: 'The host resolves to a private IP address. Only public ones are allowed.',
  ip_changed: 'The connection reached a different IP address than the host name resolved to.',
  host_not_allowed: 'The host must be a public domain name.',
  ip_literal: 'Use a host name, not an IP address.',
  port_not_allowed: 'The port must be 443 or 8443.',
  own_host: 'The host belongs to this Parley deployment.',
  unknown: 'We were interrupted, so it may or may not have arrived. It will be sent again with the same key.',
  internal_error: 'Something went wrong on our side. This doesn’t count as an attempt, and we’ll retry soon.',
};
