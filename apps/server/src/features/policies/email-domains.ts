import { domainToASCII } from 'node:url';
import { getDomain } from 'tldts';

const hostName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;

/** The normalized domain, or null. The parser expects a URL's host, so characters that end a host are rejected first. */
function toAscii(text: string): string | null {
  const name = /[\s/\\?#@:%[\]]/.test(text) ? '' : domainToASCII(text);
  return name.length <= 253 && hostName.test(name) ? name : null;
}

/** A domain that one organisation owns. Public suffixes such as `co.uk` and `github.io` are rejected. */
export function readEmailDomain(text: string): string | null {
  const name = toAscii(text.trim());
  return name !== null && getDomain(name, { allowPrivateDomains: true }) !== null ? name : null;
}

export const domainOf = (email: string): string | null => toAscii(email.slice(email.lastIndexOf('@') + 1));
