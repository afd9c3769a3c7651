import { groups } from './reference/openapi.ts';

const pages = (...slugs: string[]) => slugs.map((slug) => ({ slug }));

/** The sidebar, in the order readers need it. */
export const sidebar = [
  { label: 'Get started', items: pages('quick-start', 'tutorials/express', 'tutorials/next') },
  {
    label: 'Guides',
    items: pages(
      'guides/embed',
      'guides/signed-in-visitors',
      'guides/verify-webhooks',
      'guides/private-actions',
      'guides/handoff',
      'guides/testing-locally',
      'guides/rotating-secrets',
      'guides/security-policies',
      'guides/going-live',
    ),
  },
  { label: 'Tools', items: pages('sdk', 'cli') },
  {
    label: 'Reference',
    items: [
      { label: 'Events', link: '/reference/events/' },
      { label: 'Errors', link: '/reference/errors/' },
      ...pages('limits'),
      {
        label: 'API',
        collapsed: true,
        items: [
          ...groups.map(({ name, slug }) => ({ label: name, link: `/reference/api/${slug}/` })),
          { label: 'Objects', link: '/reference/objects/' },
        ],
      },
    ],
  },
  { label: 'Security and reliability', items: pages('security', 'reliability') },
  {
    label: 'Self-hosting',
    items: pages(
      'self-hosting',
      'self-hosting/quickstart',
      'self-hosting/requirements',
      'self-hosting/configuration',
      'self-hosting/tls',
      'self-hosting/mail',
      'self-hosting/models',
      'self-hosting/backup',
      'self-hosting/upgrade',
      'self-hosting/monitoring',
      'self-hosting/hardening',
      'self-hosting/air-gapped',
      'self-hosting/own-infrastructure',
      'self-hosting/troubleshooting',
      'self-hosting/uninstall',
    ),
  },
];
