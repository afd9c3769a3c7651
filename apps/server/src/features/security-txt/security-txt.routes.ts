import type { Config } from '../../platform/config.ts';
import { notFound } from '../../platform/errors.ts';
import { cacheControl, etagOf } from '../../platform/http/caching.ts';
import { fileRoute } from '../../platform/http/route.ts';
import { securityTxt } from './security-txt.ts';

export const securityTxtRoutes = (config: Pick<Config, 'SECURITY_CONTACT' | 'PUBLIC_URL'>) => [
  fileRoute({
    method: 'GET',
    path: '/.well-known/security.txt',
    name: 'getSecurityTxt',
    tag: 'Health',
    summary: 'Get the security contact',
    description: 'Returned in the format of RFC 9116. 404 if the deployment has no SECURITY_CONTACT.',
    handler: () => {
      if (config.SECURITY_CONTACT.length === 0) throw notFound('security_contact');
      const bytes = Buffer.from(securityTxt(config.SECURITY_CONTACT, config.PUBLIC_URL, new Date()));
      return {
        mediaType: 'text/plain; charset=utf-8',
        cacheControl: cacheControl({ seconds: 86_400, staleSeconds: 86_400 }),
        variants: [{ encoding: null, bytes, etag: etagOf(bytes) }],
      };
    },
  }),
];
