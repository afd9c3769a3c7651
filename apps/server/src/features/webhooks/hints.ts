/** What a developer at midnight should do about it, in plain words. */
export function hintOf(status: number | null, error: string | null, headers: Record<string, string> = {}): string {
  if (status !== null) return hintOfStatus(status, headers);
  return (error !== null && hintsOfErrors[error]) || 'The call did not come through. We try again.';
}

function hintOfStatus(status: number, headers: Record<string, string>): string {
  if (status >= 200 && status < 300) return 'Delivered.';
  if (status >= 300 && status < 400) {
    const where = headers['location'] ? ` to ${shown(headers['location'])}` : '';
    return `You answered ${status}${where}. We do not follow redirects: put the final address into the endpoint.`;
  }
  return (
    hintsOfStatuses[status] ??
    (status >= 500
      ? `Your server failed with ${status}. Its own log says why; we try again.`
      : `You answered ${status}. Any 2xx means that you have it; we try again.`)
  );
}

/** What comes from outside is cut, and holds nothing that would break a line. */
const shown = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 200);

const hintsOfStatuses: Record<number, string> = {
  400: 'You answered 400. Often a framework parsed the body before the signature was checked, or expects another content type.',
  401: 'You answered 401. Check that the endpoint verifies with this endpoint’s secret, over the raw bytes of the body.',
  403: 'You answered 403. A firewall or bot protection may stand before it: let calls with our signature through.',
  404: 'You answered 404. The path of the address is not there: correct the address of the endpoint.',
  405: 'You answered 405. The address does not take POST.',
  410: 'You answered 410, which means “gone”: the endpoint is disabled, and what comes is held.',
  413: 'You answered 413. Allow bodies up to 256 KiB.',
  429: 'You answered 429: too many calls. We slow down, and wait as long as Retry-After says.',
  502: 'Your proxy answered 502: it does not reach the server behind it.',
  503: 'You answered 503. We wait as long as Retry-After says, and try again.',
  504: 'Your proxy answered 504: the server behind it was too slow. Answer first, and work afterwards.',
};

const hintsOfErrors: Record<string, string> = {
  timeout: 'No whole answer within 15 seconds. Answer with 2xx at once, and do the work afterwards.',
  connect_failed: 'Nothing takes connections there. Is the server up, and the port open to the internet?',
  tls_failed: 'The certificate is not good: expired, for another name, or not from a public authority.',
  reset: 'The connection was cut before the answer was whole.',
  headers_too_large: 'The headers of the answer are larger than 16 KiB.',
  bad_response: 'What came back is not HTTP.',
  dns_failed: 'The host name could not be found. Is it spelt right, and its DNS record there?',
  private_address: 'The host leads to an address that is not public. We only call public ones.',
  address_changed: 'The connection led to another address than the name did.',
  host_not_allowed: 'The host must be a public name.',
  ip_literal: 'The host must be a name, not an address.',
  port_not_allowed: 'The port must be 443 or 8443.',
  own_host: 'The host is one of ours.',
  unknown: 'We stopped in the middle of it and cannot know whether it arrived: it is sent again, with the same key.',
  own_fault: 'Something on our side went wrong. It does not count, and is tried again soon.',
};
