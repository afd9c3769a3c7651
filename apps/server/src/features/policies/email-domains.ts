import { domainToASCII } from 'node:url';
import { getDomain } from 'tldts';

const hostName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;

/** In the one spelling that is compared, or null. The parser reads a URL's host, so what could end one is refused first. */
function toAscii(text: string): string | null {
  const name = /[\s/\\?#@:%[\]]/.test(text) ? '' : domainToASCII(text);
  return name.length <= 253 && hostName.test(name) ? name : null;
}

/** A domain that one organisation owns: `co.uk` and `github.io` belong to everybody who has a name there. */
export function readEmailDomain(text: string): string | null {
  const name = toAscii(text.trim());
  return name !== null && getDomain(name, { allowPrivateDomains: true }) !== null ? name : null;
}

export const domainOf = (email: string): string | null => toAscii(email.slice(email.lastIndexOf('@') + 1));
